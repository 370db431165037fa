import { setTimeout as sleep } from 'node:timers/promises'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import type { Kept } from './kept.ts'
import { RETENTION } from './retention.ts'

/**
 * How long to rest after a step, as a multiple of the step's time, so that deleting takes a tenth of the time, and less
 * while others write, since a step includes waiting for them.
 */
const REST = 9

interface DeletingDependencies {
  store: Store
  clock: () => number
}

/**
 * Deletes old rows in short, complete steps. If interrupted, the next run continues, because the rows themselves say what
 * is due.
 *
 * @param signal ends it after the current step
 * @returns how many rows it has handled, by table: deleted, folded, or kept
 */
export async function deleteOld(
  deps: DeletingDependencies,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const [table, rules] of Object.entries(RETENTION)) {
    for (const { end } of rules) {
      const rows = end ? await runToEnd(end, deps, signal) : 0
      if (rows > 0) done[table] = (done[table] ?? 0) + rows
    }
  }
  return done
}

/** Repeats a step until nothing is left, with rests. @returns how many rows it has handled */
export async function runToEnd(
  { days, step }: NonNullable<Kept['end']>,
  { store, clock }: DeletingDependencies,
  signal: AbortSignal,
): Promise<number> {
  let done = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    const now = clock()
    const rows = await step(store, now - daysMs(days), now)
    done += rows
    if (rows < ROWS_AT_ONCE) break
    await sleep(REST * (performance.now() - startedAt), undefined, { signal }).catch(() => {})
  }
  return done
}
