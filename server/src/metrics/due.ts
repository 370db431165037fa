import { deliveriesDue } from '../notices/delivery-queue.ts'
import { picturesDue } from '../pictures/queue.ts'
import type { Deleting } from '../retention/deleting.ts'
import type { Store } from '../storage/store.ts'

export interface Due {
  store: Store
  clock: () => number
  deleting: Pick<Deleting, 'isDue'>
}

/** What waits in the background, by kind. Retention knows only whether something may be left: 1 or 0. */
export async function dueNow({ store, clock, deleting }: Due): Promise<Record<string, number>> {
  const now = clock()
  const [pictures, notices] = await Promise.all([
    numberOf(() => picturesDue(store, now)),
    numberOf(() => deliveriesDue(store, now)),
  ])
  return { pictures, notices, retention: deleting.isDue ? 1 : 0 }
}

/** The other metrics are most wanted while the database is away. */
const numberOf = (count: () => Promise<number>): Promise<number> => count().catch(() => Number.NaN)
