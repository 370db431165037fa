import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const thisFile = fileURLToPath(import.meta.url)

/** The folder of this package. The build packs this module into a file elsewhere, so its own depth says nothing. */
const FOLDER = findPackage(dirname(thisFile))

/** The folder that this code runs from: `src`, `dist` or `bundled`. */
const CODE = join(FOLDER, relative(FOLDER, thisFile).split(sep)[0] ?? '')

/** The path of a file in this package that is no module, such as `fonts/fonts.conf`. */
export const packageFile = (path: string): string => join(FOLDER, path)

/**
 * The path of a script that runs as a process or thread of its own, such as `ops/processes/parse-pages`: TypeScript, or as
 * built. Our tests run from source, but set `PLACARD_BUILT_SCRIPTS`, because the built scripts load in a quarter of the time.
 */
export const scriptFile = (name: string): string =>
  process.env.PLACARD_BUILT_SCRIPTS ? join(FOLDER, 'bundled', `${name}.js`) : join(CODE, `${name}${extname(thisFile)}`)

function findPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder))
}

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string
}

/** Version of the service, from its package. */
export const VERSION = manifest.version
