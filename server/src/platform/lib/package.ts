import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const thisFile = fileURLToPath(import.meta.url)

/** The folder of this package. The build packs this module into a file elsewhere, so its own depth is unknown. */
const FOLDER = findPackage(dirname(thisFile))

/** The folder that this code runs from: `src`, `dist` or `bundled`. */
const CODE = join(FOLDER, relative(FOLDER, thisFile).split(sep)[0] ?? '')

/** Returns the path of a file in this package that is not a module, such as `fonts/fonts.conf`. */
export const packageFile = (path: string): string => join(FOLDER, path)

/** Returns the path of a cache of this package: below systemd's `CacheDirectory`, if there is one, else in the package. */
export const cacheFile = (path: string): string => join(process.env.CACHE_DIRECTORY ?? FOLDER, path)

/**
 * Returns the path of a script that runs as a separate process or thread, such as `ops/processes/parse-pages`:
 * TypeScript, or as built. Our tests run from source, but set `PLACARD_BUILT_SCRIPTS`, because the built scripts load
 * in a quarter of the time.
 */
export const scriptFile = (name: string): string =>
  process.env.PLACARD_BUILT_SCRIPTS ? join(FOLDER, 'bundled', `${name}.js`) : join(CODE, `${name}${extname(thisFile)}`)

function findPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder))
}

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  name: string
  version: string
}

/**
 * What operators type before the name of a command, where this runs: `placard` from a global install and in the image,
 * `npx placard` from the package in another folder, and in a clone of the repository npm's script.
 */
export const COMMAND = manifest.name !== 'placard' ? 'npm run placard --' : isGlobal(FOLDER) ? 'placard' : 'npx placard'

/** Where npm installs a package globally, on every system but Windows. */
function isGlobal(folder: string): boolean {
  return folder.endsWith(join('/lib/node_modules/placard'))
}

/** Version of the service, from its package: a release such as 0.2.0, or a development version such as 0.3.0-dev. */
export const VERSION = manifest.version

/** Inserted by the build (`server/bundle.ts`) if it knows the commit. */
declare const BUILT_FROM_COMMIT: string | undefined

/** Short hash of the commit that the service was built from. Undefined from source, and if the build had no git. */
export const COMMIT = typeof BUILT_FROM_COMMIT === 'undefined' ? undefined : BUILT_FROM_COMMIT

export const IS_RELEASE = !VERSION.includes('-')

/** The version for people. If it was not released, it contains the commit, such as 0.3.0-dev+1a2b3c4d5e6f. */
export const FULL_VERSION = IS_RELEASE || COMMIT === undefined ? VERSION : `${VERSION}+${COMMIT}`
