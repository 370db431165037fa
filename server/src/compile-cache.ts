import module from 'node:module'
import { cacheFile } from './platform/lib/package.ts'

// Node stores compiled code for the next start. If it cannot write there, it compiles each time.
module.enableCompileCache(cacheFile('bundled/compiled'))
