import { sql } from 'kysely'
import { statement, statementOfRows } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'
import { editDistance } from './edit-distance.ts'
import { FILTER, STEM, TITLE } from './entries.ts'
import { isSolid } from './fold.ts'

// Every word that a listing ever had, with its parts of three letters: by them, words are found that have another inside,
// and words that are nearly another. Both engines keep the parts in an index like that of the listings.

const WORD_MIN_LENGTH = 4
/** Longer ones are no words. */
const WORD_MAX_LENGTH = 40
const PART_LENGTH = 3
/** Stand before and behind a word, so that its parts tell where it begins and ends. */
const [BEGIN, END] = ['‹', '›']

/** What is shorter stands in words that have nothing to do with it, as “velo” in “developer”. It counts at the end. */
const INSIDE_MIN_LENGTH = 5
const INSIDE_MAX = 40
/** Where a part is in more words than this, the rest is not looked at. */
const LIKE_CANDIDATES_MAX = 3000
const LIKE_MAX = 12

/** Adds the words of a listing's entries that are not known yet. Known ones are only read: nothing waits for them. */
export async function addToVocabulary(trx: Trx, searchText: string): Promise<void> {
  const words = vocabularyOf(searchText).sort()
  if (words.length === 0) return
  const known = new Set((await knownOf(trx, words.map(asRow))).map(row => row.word))
  const fresh = words.filter(word => !known.has(word))
  // In order, so that transactions that add the same words wait for each other and never in a circle.
  if (fresh.length > 0) {
    await putWords(
      trx,
      fresh.map(word => ({ word, parts: partsOf(BEGIN + word + END).join(' ') })),
    )
  }
}

/**
 * The words among the entries of a listing, each once: no stems, no pieces of a run without blanks, no numbers, and
 * no short ones.
 */
export const vocabularyOf = (searchText: string): string[] =>
  [...new Set(searchText.split(' ').map(withoutTitle))].filter(isKept)

const asRow = (word: string) => ({ word })
const withoutTitle = (entry: string) => (entry.startsWith(TITLE) ? entry.slice(TITLE.length) : entry)
const isKept = (word: string) =>
  word.length >= WORD_MIN_LENGTH &&
  word.length <= WORD_MAX_LENGTH &&
  !word.startsWith(STEM) &&
  !word.startsWith(FILTER) &&
  !isSolid(word) &&
  /\p{L}/u.test(word)

const partsOf = (text: string): string[] => [
  ...new Set(
    Array.from({ length: Math.max(0, text.length - PART_LENGTH + 1) }, (_, at) =>
      text.slice(at, at + PART_LENGTH),
    ),
  ),
]

const knownOf = statementOfRows(
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

/** Whether a word begins so. */
export async function isBeginning(store: Store, text: string): Promise<boolean> {
  return (await beginning(store, { text, end: `${text}\u{10ffff}` })).length > 0
}

const beginning = statement(
  { text: 'text', end: 'text' },
  ({ text, end }) => sql<{ word: string }>`
    select word from search_word where word >= ${text} and word < ${end} limit 1`,
)

/** Words that have a text at their end, or a longer one inside, the shortest first. */
export async function wordsWithInside(store: Store, text: string): Promise<string[]> {
  if (text.length < WORD_MIN_LENGTH || text.length > WORD_MAX_LENGTH) return []
  const words = await withParts(store, [partsOf(text)], {
    from: text.length + 1,
    to: WORD_MAX_LENGTH,
    limit: LIKE_CANDIDATES_MAX,
  })
  return words
    .filter(word => (text.length < INSIDE_MIN_LENGTH ? word.endsWith(text) : word.indexOf(text) > 0))
    .sort(byLength)
    .slice(0, INSIDE_MAX)
}

const byLength = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1)

/**
 * Words that one typo, or two, make into the one that was typed: those with the fewest, and of these the ones that begin
 * as it does first. With two typos, only these: others are usually words of their own, as “Straße” and “Grasse”.
 */
export async function wordsLike(store: Store, typed: string, typos: 1 | 2): Promise<string[]> {
  const shortest = typos === 1 ? 5 : 7
  if (typed.length < shortest || typed.length > WORD_MAX_LENGTH - typos) return []
  const words = await withParts(store, typos === 1 ? halves(typed) : thirds(typed), {
    from: typed.length - typos,
    to: typed.length + typos,
    limit: LIKE_CANDIDATES_MAX,
  })
  const firstDiffers = (word: string) => (word[0] === typed[0] ? 0 : 1)
  return words
    .map(word => ({ word, order: 2 * editDistance(word, typed, typos) + firstDiffers(word) }))
    .filter(({ order }) => order > 1 && order <= typos + 2)
    .sort((one, other) => one.order - other.order || (one.word < other.word ? -1 : 1))
    .slice(0, LIKE_MAX)
    .map(({ word }) => word)
}

/** One typo leaves one half as it is, or swaps the letters where they meet. */
function halves(word: string): string[][] {
  const padded = BEGIN + word + END
  const middle = Math.floor(padded.length / 2)
  const swapped = [
    padded.slice(0, middle - 1),
    padded[middle],
    padded[middle - 1],
    padded.slice(middle + 1),
  ].join('')
  return [padded.slice(0, middle), padded.slice(middle), swapped].map(partsOf)
}

/** Two typos leave one third as it is, but where they stand on both sides of a border. */
function thirds(word: string): string[][] {
  const padded = BEGIN + word + END
  const third = Math.max(PART_LENGTH, Math.floor(padded.length / 3))
  const middle = Math.floor((padded.length - third) / 2)
  return [padded.slice(0, third), padded.slice(middle, middle + third), padded.slice(-third)].map(partsOf)
}

/** Words of some lengths that have all parts of one of the lists. */
async function withParts(
  store: Store,
  lists: string[][],
  range: { from: number; to: number; limit: number },
): Promise<string[]> {
  const rows =
    store.engine === 'sqlite'
      ? await withPartsSqlite(store, { query: either(lists, '"', ' AND ', ' OR '), ...range })
      : await withPartsPostgres(store, { query: either(lists, "'", ' & ', ' | '), ...range })
  return rows.map(({ word }) => word)
}

/** Parts hold letters and digits alone, so quotes need no escape. */
const either = (lists: string[][], quote: string, and: string, or: string) =>
  lists.map(parts => `(${parts.map(part => quote + part + quote).join(and)})`).join(or)

const WITH_PARTS = { query: 'text', from: 'bigint', to: 'bigint', limit: 'bigint' } as const

const withPartsSqlite = statement(
  WITH_PARTS,
  ({ query, from, to, limit }) => sql<{ word: string }>`
    select word from search_word_part cross join search_word on search_word.id = search_word_part.rowid
    where search_word_part match ${query} and length(word) between ${from} and ${to} limit ${limit}`,
)
const withPartsPostgres = statement(
  WITH_PARTS,
  ({ query, from, to, limit }) => sql<{ word: string }>`
    select word from search_word
    where part @@ cast(${query} as tsquery) and length(word) between ${from} and ${to} limit ${limit}`,
)
