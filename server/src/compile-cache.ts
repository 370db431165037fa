import module from 'node:module'
import { packageFile } from './platform/lib/package.ts'

// Node stores compiled code next to the source, for the next start. If it cannot write there, it compiles each time.
module.enableCompileCache(packageFile('bundled/compiled'))
