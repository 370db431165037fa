import { readFileSync } from 'node:fs'
import { packageFile } from './files.ts'

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string
}

/** Version of the service, from its package. */
export const VERSION = manifest.version
