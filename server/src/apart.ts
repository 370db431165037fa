import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

// What strangers made is read in processes apart from the service: see docs/decisions/processes-apart.md.

/** The path of a script beside a module: as TypeScript where that runs, else as built. */
export const scriptBeside = (module: string, name: string): string =>
  fileURLToPath(new URL(`./${name}${extname(module)}`, module))

/** Makes this process the one to end where memory runs short. */
export function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
