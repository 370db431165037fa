import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

// What strangers made is read in processes apart from the service: see docs/decisions/processes-apart.md.

/** The path of a script beside a module: as TypeScript where that runs, else as built. */
export const scriptBeside = (module: string, name: string): string =>
  fileURLToPath(new URL(`./${name}${extname(module)}`, module))

/**
 * Lets a process wait where processors run short: the more, the higher the niceness, up to 19. On Linux this is for the
 * thread it began with and for those it begins from now on.
 */
export function yieldToTheService(pid: number | undefined, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // It is gone already, or this system does not allow it.
  }
}

/** Makes this process the one to end where memory runs short. */
export function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
