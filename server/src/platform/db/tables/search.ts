import type { Generated } from 'kysely'
import { FOREVER, type TablePolicies } from './retention.ts'

/** What search needs in addition to `searchText` of a listing. */
export interface SearchTables {
  search_word: SearchWordTable
  search_stale: SearchStaleTable
}

/** A word that a listing has or had. With it, search finds longer words by a part of them, and corrects typos. */
interface SearchWordTable {
  id: Generated<number>
  word: string
  /** Every three consecutive letters, with markers for both ends of the word, separated by spaces. */
  parts: string
}

/** A listing whose search entries were made by older rules. */
interface SearchStaleTable {
  listingId: number
}

/** Retention and export of these tables. */
export const searchPolicies: TablePolicies<SearchTables> = {
  search_word: {
    isExported: true,
    retention: [
      {
        what: 'A word that some listing uses or used',
        kept: FOREVER,
        why: 'Search uses it for parts of words and for typos. It does not show which listing has the word.',
      },
    ],
  },
  search_stale: {
    isExported: true,
    retention: [
      {
        what: 'A listing that search cannot find by all of its words yet',
        kept: 'until it does',
        why: 'A new version has changed what search finds a listing by.',
      },
    ],
  },
}
