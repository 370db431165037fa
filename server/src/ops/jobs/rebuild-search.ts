import { searchText } from '../../domain/search/entries.ts'
import { addToVocabulary } from '../../domain/search/vocabulary.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { ROWS_AT_ONCE } from './delete-old-rows.ts'

/**
 * Rebuilds the entries of a few listings that a migration noted because the rules in `entries.ts` changed.
 *
 * @returns how many it rebuilt: fewer than `ROWS_AT_ONCE` if none are left
 */
export const renewEntries = (store: Store): Promise<number> =>
  store.transact(async trx => {
    const listings = await trx
      .selectFrom('search_stale')
      .innerJoin('listing', 'listing.id', 'search_stale.listingId')
      .select(['listing.id', 'title', 'description', 'hostname', 'category', 'language'])
      .orderBy('listing.id')
      .limit(ROWS_AT_ONCE)
      // So that nobody changes the category meanwhile. SQLite has one writer anyway.
      .$if(store.engine === 'postgres', query => query.forUpdate('listing'))
      .execute()
    for (const { id, ...said } of listings) {
      const text = searchText(said)
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
