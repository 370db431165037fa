import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import {
  CURSOR,
  firstPlaces,
  nextPlaces,
  type PageWanted,
  type PlacesPage,
  placeColumns,
  readPlaces,
} from './listed-places.ts'
import { readLedger } from './read-ledger.ts'

/**
 * One page of the board of a category: the places of `all` that are of this category, in the same order, with their rank
 * among each other. Constant work wherever the page lies, and nothing is kept for it but an index.
 *
 * @throws Problem payment_evidence_unavailable rather than a board that may be wrong
 */
export const readCategoryBoard = (store: Store, category: string, wanted: PageWanted): Promise<PlacesPage> =>
  readLedger(() => readPlaces(store, { category }, wanted, { first, next }))

/** `shown = 1` and the board stand there as they do in the index, so that both engines see that it is all in there. */
const placesOf = (category: string) => sql`
  select ${placeColumns} from board_total as place
  where place.shown = 1 and place.board = 'all' and place.category = ${category}`

const first = statement({ category: 'text', limit: 'bigint' }, ({ category, limit }) =>
  firstPlaces(placesOf(category), limit),
)

const next = statement({ category: 'text', ...CURSOR, limit: 'bigint' }, ({ category, limit, ...cursor }) =>
  nextPlaces(placesOf(category), cursor, limit),
)
