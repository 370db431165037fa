import { readFileSync } from 'node:fs'

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Version of this package, such as `0.1.0`. */
export const VERSION = manifest.version
