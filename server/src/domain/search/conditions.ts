import { DISPLAY_DAYS } from '@placard/contract'
import type { Engine } from '../../platform/db/tables/index.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { FILTER, filterByCategory, filterByLanguage, TITLE } from './entries.ts'
import type { QueryWord } from './query.ts'

/** The filters of a search, in addition to its words. */
export interface SearchFilters {
  category?: string | undefined
  /** Primary language, such as `pt`. */
  language?: string | undefined
}

/** Where a word must be. */
export type Where = 'title' | 'anywhere'

/** Thirty days, as the migration marks listings. */
const SPAN_MS = 2_592_000_000

/**
 * Returns the query for an engine's index: listings that may be published, pass the filters, and have every word.
 *
 * The index marks each listing with the span in which it was published, or as one without an end, so that it can skip
 * expired listings. The query includes one span in the future, because clocks differ. PostgreSQL is not asked for these
 * marks, because it would compare all of them with each match, which takes longer than reading expired listings.
 */
export function expressionOf(
  engine: Engine,
  words: readonly QueryWord[],
  where: Where,
  { category, language, now }: SearchFilters & { now: number },
): string {
  const { and, or, term } = SYNTAX[engine]
  const anyOf = (terms: string[]) => `(${[...new Set(terms)].join(or)})`
  const wordOf = (word: QueryWord) =>
    anyOf(
      uncovered(word).flatMap(({ entry, isBeginning }) => [
        term(TITLE + entry, isBeginning),
        ...(where === 'anywhere' ? [term(entry, isBeginning)] : []),
      ]),
    )
  return [
    ...words.map(wordOf),
    ...(engine === 'sqlite' ? [anyOf(shownMarks(now).map(mark => term(mark, false)))] : []),
    ...(category === undefined ? [] : [term(filterByCategory(category), false)]),
    ...(language === undefined ? [] : [term(filterByLanguage(language), false)]),
  ].join(and)
}

/** The variants that no other one's beginning finds as well: each costs a lookup in every part of the index. */
const uncovered = ({ variants }: QueryWord) => {
  const beginnings = variants.filter(({ isBeginning }) => isBeginning).map(({ entry }) => entry)
  return variants.filter(
    ({ entry, isBeginning }) => !beginnings.some(other => entry.startsWith(other) && (other !== entry || !isBeginning)),
  )
}

/** Entries hold only letters, digits, emoji and our own marks, so no quote needs an escape. */
const SYNTAX = {
  sqlite: {
    and: ' AND ',
    or: ' OR ',
    term: (entry: string, isBeginning: boolean) => `"${entry}"${isBeginning ? '*' : ''}`,
  },
  postgres: {
    and: ' & ',
    or: ' | ',
    term: (entry: string, isBeginning: boolean) => `'${entry}'${isBeginning ? ':*' : ''}`,
  },
}

function shownMarks(now: number): string[] {
  const oldest = now - daysMs(DISPLAY_DAYS)
  const [first, last] = [Math.floor(oldest / SPAN_MS), Math.floor(now / SPAN_MS) + 1]
  return [`${FILTER}always`, ...Array.from({ length: last - first + 1 }, (_, place) => `${FILTER}${first + place}`)]
}
