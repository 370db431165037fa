import { editDistance } from '@placard/contract'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Runner, Trx } from '../../platform/db/store.ts'
import { FILTER, STEM, TITLE } from './entries.ts'
import { isSolid } from './fold.ts'
import { wordsWithMeaning } from './synonyms.ts'
import { isDistinctive } from './weak-words.ts'

// Every word that a listing ever had, with its parts of three letters. Search uses them to find words that contain the
// typed one, or resemble it. Both engines index the parts like the entries of listings.

const WORD_MIN_LENGTH = 4

/** Longer texts are not words. */
const WORD_MAX_LENGTH = 40
const PART_LENGTH = 3

/** Added before and after a word, so that its first and last parts are recognisable. */
const [BEGIN, END] = ['‹', '›']

/** Shorter texts are inside unrelated words, as “velo” in “developer”, and count only at the end of a word. */
const INSIDE_MIN_LENGTH = 5
const INSIDE_MAX = 40

/** The maximum number of words that search reads for one, the oldest first: the common ones are among them. */
const LIKE_CANDIDATES_MAX = 3000
const LIKE_MAX = 12

/**
 * Adds the words of a listing that the vocabulary does not have. Existing words are only read, so transactions do not
 * wait for each other.
 */
export async function addToVocabulary(trx: Trx, searchText: string): Promise<void> {
  await addWords(trx, await newWords(trx, searchText))
}

/** Returns the words of a listing that the vocabulary does not have, for `addWords`. */
export async function newWords(trx: Trx, searchText: string): Promise<string[]> {
  const words = vocabularyOf(searchText)
  const known = new Set(await existingWords(trx, words))
  return words.filter(word => !known.has(word))
}

/** Adds words to the vocabulary. */
export async function addWords(trx: Trx, words: string[]): Promise<void> {
  // Sorted, so that transactions with the same words cannot deadlock.
  const rows = words.sort().map(word => ({ word, parts: partsOf(BEGIN + word + END).join(' ') }))
  if (rows.length > 0) await putWords(trx, rows)
}

/**
 * The words among a listing's entries, each once. Leaves out stems, pieces of a run without blanks, numbers, and short
 * words.
 */
export const vocabularyOf = (searchText: string): string[] =>
  [...new Set(searchText.split(' ').map(withoutTitle))].filter(isIndexed)

const asRow = (word: string) => ({ word })
const withoutTitle = (entry: string) => (entry.startsWith(TITLE) ? entry.slice(TITLE.length) : entry)
const isIndexed = (word: string) =>
  word.length >= WORD_MIN_LENGTH &&
  word.length <= WORD_MAX_LENGTH &&
  !word.startsWith(STEM) &&
  !word.startsWith(FILTER) &&
  !isSolid(word) &&
  /\p{L}/u.test(word)

const partsOf = (text: string): string[] => [
  ...new Set(
    Array.from({ length: Math.max(0, text.length - PART_LENGTH + 1) }, (_, at) => text.slice(at, at + PART_LENGTH)),
  ),
]

const findWords = statementOfRows(
  { word: 'text' },
  rows => sql<{ word: string }>`
    select word from search_word where word in (${sql.join(rows.map(({ word }) => word))})`,
)
const putWords = statementOfRows({ word: 'text', parts: 'text' }, (rows, db) =>
  db
    .insertInto('search_word')
    .values(rows)
    .onConflict(conflict => conflict.column('word').doNothing()),
)

/** Returns the words that any listing has. */
export const existingWords = async (runner: Runner, words: string[]): Promise<string[]> =>
  words.length > 0 ? (await findWords(runner, words.map(asRow))).map(({ word }) => word) : []

/** Returns the words that the vocabulary could have, but does not have. */
export async function missingWords(runner: Runner, words: readonly string[]): Promise<string[]> {
  const kept = words.filter(isIndexed)
  const known = await existingWords(runner, kept)
  return kept.filter(word => !known.includes(word))
}

export async function isBeginning(runner: Runner, text: string): Promise<boolean> {
  return (await beginning(runner, { text, end: `${text}\u{10ffff}` })).length > 0
}

const beginning = statement(
  { text: 'text', end: 'text' },
  ({ text, end }) => sql<{ word: string }>`
    select word from search_word where word >= ${text} and word < ${end} limit 1`,
)

/** Words that end with a text, or contain it if it is long enough, shortest first. */
export async function wordsWithInside(runner: Runner, text: string): Promise<string[]> {
  if (text.length < WORD_MIN_LENGTH || text.length > WORD_MAX_LENGTH) return []
  const isAtEnd = text.length < INSIDE_MIN_LENGTH
  const words = await withParts(runner, [partsOf(isAtEnd ? text + END : text)], {
    from: text.length + 1,
    to: WORD_MAX_LENGTH,
    limit: LIKE_CANDIDATES_MAX,
  })
  return words
    .filter(word => (isAtEnd ? word.endsWith(text) : word.indexOf(text) > 0))
    .sort(byLength)
    .slice(0, INSIDE_MAX)
}

const byLength = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1)

/** A word that may have been meant. */
export interface Correction {
  word: string
  /** Whether the typed word is only the beginning of it. */
  isBeginning: boolean
}

/** Corrects shorter words only where two neighbours were exchanged. Any other typo makes them another word. */
const [SWAPPED_MIN_LENGTH, ONE_TYPO_MIN_LENGTH, TWO_TYPOS_MIN_LENGTH] = [4, 5, 7]
/** Two typos and another first letter make too many words of shorter ones. */
const OTHER_FIRST_MIN_LENGTH = 9

/**
 * Returns words that become the typed one with one typo, or two, from our table of synonyms as well. Fewer typos come
 * first, then words with the same first letter, then longer words, because people leave out letters. With one typo, the
 * typed word may be the beginning of a word, as “invocie” of “invoices”.
 */
export async function wordsLike(runner: Runner, typed: string, typos: 1 | 2): Promise<Correction[]> {
  const shortest = typos === 1 ? SWAPPED_MIN_LENGTH : TWO_TYPOS_MIN_LENGTH
  if (typed.length < shortest || typed.length > WORD_MAX_LENGTH - typos) return []
  const words = await withParts(runner, typos === 1 ? halves(typed) : thirds(typed), {
    from: typed.length - typos,
    to: typos === 1 ? WORD_MAX_LENGTH : typed.length + typos,
    limit: LIKE_CANDIDATES_MAX,
  })
  // Only whole words of the table, because it has many words that no listing has.
  const hasOurs = typos === 1 || typed.length > OTHER_FIRST_MIN_LENGTH
  const ours = hasOurs ? wordsWithMeaning().filter(word => orderOf(typed, word, typos) < LIMIT) : []
  return [...new Set([...words, ...ours])]
    .flatMap(word => {
      const whole = { word, isBeginning: false, order: orderOf(typed, word, typos) }
      if (typos === 2 || whole.order < LIMIT) return [whole]
      // One exchanged or wrong letter leaves the length as it is.
      return [{ word, isBeginning: true, order: orderOf(typed, word.slice(0, typed.length), typos) + 1 }]
    })
    .filter(({ word, order }) => order < LIMIT && isDistinctive(word))
    .sort((one, other) => one.order - other.order || (one.word < other.word ? -1 : 1))
    .slice(0, LIKE_MAX)
}

const LIMIT = Number.POSITIVE_INFINITY

/**
 * Returns how likely the typed word is the other one with typos: lower is likelier, infinite if it is another word. In
 * short words, a letter that was replaced usually makes another word, as “shark” and “share”, while exchanged and
 * forgotten letters do not.
 */
function orderOf(typed: string, word: string, typos: 1 | 2): number {
  if (Math.abs(word.length - typed.length) > typos) return LIMIT
  const distance = editDistance(word, typed, typos)
  if (distance === 0 || distance > typos) return LIMIT
  const isOtherFirst = word[0] !== typed[0]
  const otherLetters = lettersWithout(typed, word) + lettersWithout(word, typed)
  const isSwap = distance === 1 && otherLetters === 0
  if (typed.length < ONE_TYPO_MIN_LENGTH) return isSwap ? 0 : LIMIT
  const lettersMax = typed.length < (isOtherFirst ? TWO_TYPOS_MIN_LENGTH : ONE_TYPO_MIN_LENGTH + 1) ? 1 : 2
  if (otherLetters > (typed.length < OTHER_FIRST_MIN_LENGTH ? lettersMax : 2 * distance)) return LIMIT
  if (distance === 2 && isOtherFirst && typed.length < OTHER_FIRST_MIN_LENGTH && typed[0] !== word[1]) return LIMIT
  return 4 * distance + (isSwap ? 0 : 1) + (isOtherFirst ? 2 : 0) + (word.length > typed.length || isSwap ? 0 : 1)
}

/** How many letters of a word are not in another. */
function lettersWithout(word: string, other: string): number {
  let rest = other
  for (const letter of word) rest = rest.replace(letter, '')
  return word.length - (other.length - rest.length)
}

/** One typo leaves one half intact, or swaps the two letters in the middle. The end may be that of a longer word. */
function halves(word: string): string[][] {
  const padded = BEGIN + word
  const swapAt = (place: number) =>
    [padded.slice(0, place), padded[place + 1], padded[place], padded.slice(place + 2)].join('')
  if (word.length < ONE_TYPO_MIN_LENGTH) return [1, 2, 3].map(place => partsOf(swapAt(place)))
  const middle = Math.floor(padded.length / 2)
  return [padded.slice(0, middle), padded.slice(middle), swapAt(middle - 1)].map(partsOf)
}

/** Two typos leave one third intact, unless each touches a border. */
function thirds(word: string): string[][] {
  const padded = BEGIN + word + END
  const third = Math.max(PART_LENGTH, Math.floor(padded.length / 3))
  const middle = Math.floor((padded.length - third) / 2)
  return [padded.slice(0, third), padded.slice(middle, middle + third), padded.slice(-third)].map(partsOf)
}

/** Words within a range of lengths that have all parts of one of the lists. */
async function withParts(
  runner: Runner,
  lists: string[][],
  range: { from: number; to: number; limit: number },
): Promise<string[]> {
  const rows =
    runner.engine === 'sqlite'
      ? await withPartsSqlite(runner, { query: either(lists.map(apart), '"', ' AND ', ' OR '), ...range })
      : await withPartsPostgres(runner, { query: either(lists.map(apart), "'", ' & ', ' | '), ...range })
  return rows.map(({ word }) => word)
}

/** Those that don't overlap, and the last: each costs a lookup, and the callers compare the words themselves. */
const apart = (parts: string[]) => parts.filter((_, place) => place % PART_LENGTH === 0 || place === parts.length - 1)

/** Parts hold only letters and digits, so no quote needs an escape. */
const either = (lists: string[][], quote: string, and: string, or: string) =>
  lists.map(parts => `(${parts.map(part => quote + part + quote).join(and)})`).join(or)

const WITH_PARTS = { query: 'text', from: 'bigint', to: 'bigint', limit: 'bigint' } as const

const withPartsSqlite = statement(
  WITH_PARTS,
  ({ query, from, to, limit }) => sql<{ word: string }>`
    select word from (select rowid as id from search_word_part where search_word_part match ${query} limit ${limit})
      as part cross join search_word on search_word.id = part.id
    where length(word) between ${from} and ${to}`,
)
const withPartsPostgres = statement(
  WITH_PARTS,
  ({ query, from, to, limit }) => sql<{ word: string }>`
    select word from (select word from search_word where part @@ cast(${query} as tsquery) limit ${limit}) as part
    where length(word) between ${from} and ${to}`,
)
