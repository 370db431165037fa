import { hideListing, restoreListing } from '../server/dist/domain/moderation/moderate.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { daysMs } from '../server/dist/platform/lib/time.js'
import { heading, LONG_ROUNDS, report } from './compare.ts'
import { payAt } from './event-figures.ts'
import { type FilledBoard, fillDays, keyOf, nameOf } from './fill-board.ts'

const DAYS = 365
const HIDDEN = 77

/** How long hiding takes for a listing that was paid on every day of a year. */
export async function hideFigures({ large }: { large: FilledBoard }): Promise<void> {
  heading(
    `Milliseconds to hide and to restore a listing paid on ${DAYS} days, ${large.destinations.toLocaleString('en')} destinations on the board`,
  )
  await fillDays(large)
  const store = await openStore({ databaseUrl: undefined, dataDir: large.dataDir })
  const now = Date.now()
  await payAt(
    store,
    keyOf(HIDDEN),
    Array.from({ length: DAYS }, (_, day) => now - daysMs(day)),
  )
  await store.close()
  const hidden: number[] = []
  const restored: number[] = []
  for (let round = 0; round < LONG_ROUNDS; round++) {
    // Opened afresh each time, as by an operator's command, so that the process has nothing in memory.
    const fresh = await openStore({ databaseUrl: undefined, dataDir: large.dataDir })
    hidden.push(await millisecondsOf(() => hideListing(fresh, slug, 'bench', now)))
    restored.push(await millisecondsOf(() => restoreListing(fresh, slug, 'bench', now)))
    await fresh.close()
  }
  report('hide', hidden, { atMost: 200 })
  report('restore', restored, { atMost: 200 })
}

const slug = `${nameOf(HIDDEN)}-com`

async function millisecondsOf(act: () => Promise<{ changed: boolean } | undefined>): Promise<number> {
  const startedAt = performance.now()
  const done = await act()
  if (!done?.changed) throw new Error(`${slug} was not there to be changed`)
  return performance.now() - startedAt
}
