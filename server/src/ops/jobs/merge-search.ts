import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../../platform/db/store.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/** The full-text indexes of SQLite. */
const INDEXES = ['listing_search', 'search_word_part']

/** Pages that a step writes. It takes some milliseconds, in which nothing else is written. */
const STEP_PAGES = 64
/** Between two steps, for others. */
const PAUSE_MS = 20

/**
 * Merges the parts of SQLite's full-text indexes once a day. Writes add parts, and a search looks into each of them.
 * SQLite merges some on its own, but leaves a dozen. PostgreSQL's index has no parts.
 */
export const mergeSearch: JobDefinition = {
  name: 'merge',
  does: 'merges the parts of the search index, once a day',
  everyMs: DAY_MS,
  skipsNewDatabase: true,
  isOn: ({ databaseUrl }) => databaseUrl === undefined,
  start:
    () =>
    ({ store, signal }) =>
      mergeIndexes(store, signal),
}

/** Merges all parts of each index into one, in steps that let others write in between. */
export async function mergeIndexes(store: Store, signal?: AbortSignal): Promise<void> {
  for (const index of INDEXES) {
    // A negative number begins to merge parts that are too few for SQLite to merge them on its own.
    for (let pages = -STEP_PAGES; !signal?.aborted && (await mergeStep(store, index, pages)); pages = STEP_PAGES) {
      await sleep(PAUSE_MS)
    }
  }
}

/** @returns whether there was something to merge. As FTS5 documents, that changes at least two rows. */
const mergeStep = (store: Store, index: string, pages: number): Promise<boolean> =>
  store.transact(async trx => {
    const changes = async () => {
      const { rows } = await sql<{ total: number }>`select total_changes() as total`.execute(trx)
      return Number(rows[0]?.total)
    }
    const before = await changes()
    await sql`insert into ${sql.table(index)} (${sql.ref(index)}, rank) values ('merge', ${pages})`.execute(trx)
    return (await changes()) - before >= 2
  })
