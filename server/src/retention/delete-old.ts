import { setTimeout as sleep } from 'node:timers/promises'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import { type Kept, RETENTION } from './retention.ts'

/**
 * How long it rests after a step, as a multiple of what that took: so it has a tenth of the time, and less where others
 * write, since it waited for them, too.
 */
const REST = 9

export interface DeletingDependencies {
  store: Store
  clock: () => number
}

/**
 * Deletes what is kept no longer, in steps that are each short and whole. Where it is broken off, the next run goes on, and
 * two at once only share the work: all there is to know stands in the rows themselves.
 *
 * @param signal ends it after the step that is under way
 * @returns how many rows it is done with, by table: deleted, folded, or found to stay
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

async function runToEnd(
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
