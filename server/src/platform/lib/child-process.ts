import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

// Separate processes parse content from strangers: see docs/decisions/processes-apart.md.

/**
 * Gives a process a lower priority, up to niceness 19. On Linux this covers its first thread, and threads it starts
 * from now on.
 */
export function yieldToTheService(pid: number | undefined, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // The process has already ended, or this system does not allow it.
  }
}

/** Makes this process the first to be killed when memory runs out. */
export function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
