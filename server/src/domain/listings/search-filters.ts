import { CATEGORIES, type Category } from '@placard/contract'
import { sql } from 'kysely'
import { statementOfRows } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import { FILTER, filterByCategory, filterByLanguage } from '../search/entries.ts'
import type { MatchRow } from './search-index.ts'
import { RANKED_MAX } from './search-matches.ts'

/** What the filters of a search would leave of the ranked matches. */
export interface FilterCounts {
  /** How many matches are ranked without a filter. */
  all: number
  /** Whether there may be more than these. */
  isAtLeast: boolean
  categories: { category: Category; count: number }[]
  /** By primary language, such as `pt`. The commonest come first. */
  languages: { language: string; count: number }[]
  verified: number
  /** How many have a picture of their own. */
  pictured: number
}

/** Counts the values of each filter among some matches. Only values that occur are counted. */
export async function filterCounts(runner: Runner, rows: readonly MatchRow[]): Promise<FilterCounts> {
  const counts = new Map<string, number>()
  for (const { searchText } of rows) {
    for (const entry of searchText.slice(searchText.indexOf(FILTER)).split(' ')) {
      counts.set(entry, (counts.get(entry) ?? 0) + 1)
    }
  }
  const [flagged] = rows.length > 0 ? await countFlagged(runner, rows) : []
  const ofLanguage = filterByLanguage('')
  return {
    all: rows.length,
    isAtLeast: rows.length >= RANKED_MAX,
    categories: CATEGORIES.flatMap(category => {
      const count = counts.get(filterByCategory(category))
      return count === undefined ? [] : [{ category, count }]
    }),
    languages: [...counts]
      .filter(([entry]) => entry.startsWith(ofLanguage) && entry !== ofLanguage)
      .map(([entry, count]) => ({ language: entry.slice(ofLanguage.length), count }))
      .sort((one, other) => other.count - one.count || (one.language < other.language ? -1 : 1)),
    verified: flagged?.verified ?? 0,
    pictured: flagged?.pictured ?? 0,
  }
}

const countFlagged = statementOfRows({ id: 'bigint' }, rows => {
  const ids = sql.join(rows.map(({ id }) => id))
  return sql<{ verified: number; pictured: number }>`
    select (select count(distinct "listingId") from site_owner where "listingId" in (${ids})) as verified,
      (select count(*) from picture where state = 'stored' and "listingId" in (${ids})) as pictured`
})
