import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The one module that may ask where it lies: in a folder of this package, `src`, `dist` or `bundled`. The build packs
// the others into a few files elsewhere (see `bundle.ts`).
const FOLDER = dirname(fileURLToPath(import.meta.url))

/** The path of a file in this package that is no module, such as `fonts/fonts.conf`. */
export const packageFile = (path: string): string => join(FOLDER, '..', path)

/** The path of a script that runs as a process of its own, such as `review/read-process`: TypeScript, or as built. */
export const scriptFile = (name: string): string => join(FOLDER, `${name}${extname(import.meta.url)}`)
