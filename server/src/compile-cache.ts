import module from 'node:module'
import { packageFile } from './platform/lib/package.ts'

// Node keeps what it has compiled beside the code, for the next start. Where it cannot write, it compiles each time.
module.enableCompileCache(packageFile('bundled/compiled'))
