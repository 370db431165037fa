import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { searchText } from '../../domain/search/entries.ts'
import { addToVocabulary } from '../../domain/search/vocabulary.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { ROWS_AT_ONCE, repeatStep } from './delete-old-rows.ts'
import { DUE_COUNT_MAX, type JobDefinition } from './job.ts'

/** Rebuilds the search entries of listings that a migration marked because the rules in `entries.ts` changed. */
export const rebuildSearch: JobDefinition<'clock'> = {
  name: 'search',
  does: 'rebuilds search entries',
  everyMs: MINUTE_MS,
  countDue: async store => (await countStale(store, {}))[0]?.count ?? 0,
  start:
    ({ clock }) =>
    async ({ store, signal }) => {
      await repeatStep({ days: 0, step: rebuildEntries }, { store, clock }, signal)
    },
}

const countStale = statement(
  {},
  () => sql<{ count: number }>`
    select count(*) as count from (select 1 from search_stale limit ${sql.lit(DUE_COUNT_MAX)}) as due`,
)

/**
 * Rebuilds the entries of a few listings.
 *
 * @returns how many it rebuilt: fewer than `ROWS_AT_ONCE` if none are left
 */
export const rebuildEntries = (store: Store): Promise<number> =>
  store.transact(async trx => {
    const listings = await trx
      .selectFrom('search_stale')
      .innerJoin('listing', 'listing.id', 'search_stale.listingId')
      .select(['listing.id', 'title', 'description', 'hostname', 'category', 'language'])
      .orderBy('search_stale.listingId')
      .limit(ROWS_AT_ONCE)
      // The lock keeps others from changing the category during this transaction. SQLite has only one writer.
      .$if(store.engine === 'postgres', query => query.forUpdate('listing'))
      .execute()
    for (const { id, ...fields } of listings) {
      const text = searchText(fields)
      await setSearchText(trx, { id, text })
      await addToVocabulary(trx, text)
    }
    const ids = listings.map(({ id }) => id)
    if (ids.length > 0) await trx.deleteFrom('search_stale').where('listingId', 'in', ids).execute()
    return listings.length
  })

const setSearchText = statement({ id: 'bigint', text: 'text' }, ({ id, text }, db) =>
  db.updateTable('listing').set({ searchText: text }).where('id', '=', id),
)

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
