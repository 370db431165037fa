import { domainToUnicode } from 'node:url'
import { isSolid, PIECE_LENGTH, runsOf, wordsTogether } from './fold.ts'
import { primaryLanguage, stemOf } from './stems.ts'

/** The parts of a listing that search uses. */
export interface Searchable {
  title: string
  description: string
  hostname: string
  category: string
  /** As the page declared it, so it may not be a language at all. */
  language: string
}

/**
 * First characters of entries that are not plain words: those of a title, stems, and filters. No word contains one of
 * them.
 */
export const TITLE = '¶'
export const STEM = '≈'
export const FILTER = '§'
/** Marks the beginning of the description's entries. It is not indexed. */
export const DESCRIPTION = '¦'

/**
 * Returns the entries of a listing, which both engines index and `score.ts` weighs. They are separated by blanks, in
 * the order title, host name and category, description, filters. Queries are folded and stemmed the same way, so the
 * engines need no knowledge of letters.
 */
export function searchText(listing: Searchable): string {
  const { title, description, hostname, category, language } = listing
  // People read an international host name in one spelling and copy the other.
  const place = [hostname, domainToUnicode(hostname), category].join(' ')
  return [
    ...entriesOf(title, language).map(entry => TITLE + entry),
    ...entriesOf(place, 'en'),
    DESCRIPTION,
    ...entriesOf(description, language),
    filterByCategory(category),
    filterByLanguage(language),
  ].join(' ')
}

/** The entries of a listing's title, host name and category. */
export const nameEntries = (searchText: string): string => searchText.split(DESCRIPTION, 1)[0] as string

/** The entry of all listings in a category. */
export const filterByCategory = (category: string): string =>
  `${FILTER}in${category.toLowerCase().replace(/[^a-z0-9]+/g, '')}`

/** The entry of all listings in a language, whatever the region. */
export const filterByLanguage = (language: string): string => `${FILTER}lang${primaryLanguage(language)}`

function entriesOf(text: string, language: string): string[] {
  // Its parts are entries as well, so that “mail” finds “e-mail”.
  const runs = [...runsOf(text), ...wordsTogether(text).flatMap(({ word }) => runsOf(word))]
  return [...new Set(runs.flatMap(run => (isSolid(run) ? piecesFrom(run) : withStem(run, language))))]
}

/** The piece at each character, so that every word in the run is the beginning of an entry. */
function piecesFrom(run: string): string[] {
  const characters = [...run]
  return characters.map((_, place) => characters.slice(place, place + PIECE_LENGTH).join(''))
}

function withStem(word: string, language: string): string[] {
  const stem = stemOf(word, language)
  return stem === word ? [word] : [word, STEM + stem]
}
