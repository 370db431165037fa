import { sql } from 'kysely'
import { searchText } from '../../domain/search/entries.ts'
import { addToVocabulary } from '../../domain/search/vocabulary.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
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
