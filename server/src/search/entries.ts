import { domainToUnicode } from 'node:url'
import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { primaryLanguage, stemOf } from './stems.ts'
import { wordsTogether } from './together.ts'

/** What a listing is found by. */
export interface Searchable {
  title: string
  description: string
  hostname: string
  category: string
  /** BCP 47, or empty. */
  language: string
}

/**
 * First characters of entries that are no plain word of host name, category or description: one of the title, the stem
 * of a word, and what a listing is filtered by. No word has any of them.
 */
export const TITLE = '¶'
export const STEM = '≈'
export const FILTER = '§'
/** Stands before the description, so that its entries can be told apart. It is not indexed. */
export const DESCRIPTION = '¦'

/**
 * The entries of a listing as both engines index them and as `score.ts` weighs them, with blanks between, in the order
 * title, host name and category, description, filters. Search folds and stems what was typed the same way, so neither
 * engine need know a letter.
 */
export function searchText(listing: Searchable): string {
  const { title, description, hostname, category, language } = listing
  // The name of an international host is the one that people read, and the one they copy.
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

/** The entry that all listings of a category have. */
export const filterByCategory = (category: string): string =>
  `${FILTER}in${category.toLowerCase().replace(/[^a-z0-9]+/g, '')}`

/** The entry that all listings in a language have, whatever the region. */
export const filterByLanguage = (language: string): string => `${FILTER}lang${primaryLanguage(language)}`

function entriesOf(text: string, language: string): string[] {
  // The parts of what is one word can be searched for, too: as in “mail” for “e-mail”.
  const runs = [...runsOf(text), ...wordsTogether(text).flatMap(({ word }) => runsOf(word))]
  return [...new Set(runs.flatMap(run => (isSolid(run) ? piecesFrom(run) : withStem(run, language))))]
}

/** What begins at each of its characters: so that every word in it is the beginning of an entry. */
function piecesFrom(run: string): string[] {
  const characters = [...run]
  return characters.map((_, place) => characters.slice(place, place + PIECE_LENGTH).join(''))
}

function withStem(word: string, language: string): string[] {
  const stem = stemOf(word, language)
  return stem === word ? [word] : [word, STEM + stem]
}
