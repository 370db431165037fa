import type { Runner } from '../../platform/db/store.ts'
import { isLookedFor } from '../search/category-words.ts'
import { isSolid } from '../search/fold.ts'
import {
  foreignStems,
  mistyped,
  piecesOf,
  type QueryWord,
  relaxedWord,
  startingWith,
  wordsOf,
} from '../search/query.ts'
import { stemOf } from '../search/stems.ts'
import { hasMeaning, joined, wordsInRun } from '../search/synonyms.ts'
import { existingWords, isBeginning, wordsLike, wordsWithInside } from '../search/vocabulary.ts'
import { distinctiveOf, isDistinctive } from '../search/weak-words.ts'
import type { Narrowed, SearchRunner } from './search-index.ts'
import { isCommon } from './search-matches.ts'

interface Typed extends Narrowed {
  words: string
}

/** How many words of a query can be corrected. */
const CORRECTED_MAX = 4

/** Shorter stems are inside unrelated words, as that of “dating” in “update”. */
const STEM_INSIDE_MIN_LENGTH = 5

/** Returns words with their forms, and rare ones also with their meanings and the words that contain them. */
export async function relaxQuery(runner: SearchRunner, narrowed: Narrowed, typed: string[]): Promise<QueryWord[]> {
  const words: QueryWord[] = []
  for (const word of typed) {
    if (await isCommon(runner, narrowed, word)) {
      words.push({ ...startingWith(word), isKnown: true })
      continue
    }
    const [inside, stem] = [await wordsWithInside(runner, word), stemOf(word, 'en')]
    const ofStem =
      inside.length > 0 || stem === word || stem.length < STEM_INSIDE_MIN_LENGTH
        ? []
        : await wordsWithInside(runner, stem)
    words.push(relaxedWord(word, [...inside, ...ofStem], await likelier(runner, word)))
  }
  return words
}

/**
 * Splits compounds and runs without blanks into their words.
 *
 * @returns undefined if there are none
 */
export async function inParts(
  runner: SearchRunner,
  query: Typed,
  words: QueryWord[],
): Promise<QueryWord[] | undefined> {
  const known = new Set(words.filter(({ isKnown }) => isKnown).map(word => word.typed))
  const whole = wordsOf(query.words, run => (wordsInRun(run).length > 0 ? wordsInRun(run) : piecesOf(run)))
  const parts: string[] = []
  for (const word of distinctiveOf(joined(whole))) {
    // A typo in a word is likelier than two words of which one is short.
    const isCompound = !known.has(word) && (await wordsLike(runner, word, 1)).every(like => like.isBeginning)
    parts.push(...(isCompound ? await partsOfCompound(runner, word) : [word]))
  }
  const distinctive = distinctiveOf([...new Set(parts)])
  return distinctive.join(' ') === words.map(word => word.typed).join(' ')
    ? undefined
    : relaxQuery(runner, query, distinctive)
}

/**
 * Returns longer words that become the typed one with one typo, if no listing has the typed one, but listings have its
 * stem in a language other than English: “latern” is “Lantern” rather than a form of “Later” in German.
 */
async function likelier(runner: Runner, word: string): Promise<string[]> {
  if ((await existingWords(runner, foreignStems(word))).length === 0 || (await isBeginning(runner, word))) return []
  const like = await wordsLike(runner, word, 1)
  return like.filter(each => !each.isBeginning && each.word.length > word.length).map(each => each.word)
}

/** @returns the words, with similar ones in place of those that no listing uses; undefined if there are none */
export async function correct(runner: Runner, words: QueryWord[], typos: 1 | 2): Promise<QueryWord[] | undefined> {
  const corrected: QueryWord[] = []
  let count = 0
  for (const word of words) {
    const mayBeWrong =
      count < CORRECTED_MAX && !word.isKnown && !isLookedFor(word.typed) && !(await isBeginning(runner, word.typed))
    const like = mayBeWrong ? await wordsLike(runner, word.typed, typos) : []
    if (like.length > 0) count++
    corrected.push(like.length > 0 ? mistyped(word.typed, like) : word)
  }
  return count > 0 ? corrected : undefined
}

// German, Dutch and the Scandinavian languages write several nouns as one word, and people write names so in any language.

/** Shorter words are no compounds. Shorter parts would be found in unrelated words, unless their meaning is listed. */
const [COMPOUND_MIN_LENGTH, PART_MIN_LENGTH, LISTED_PART_MIN_LENGTH] = [6, 4, 3]
/** Longer words are not split. */
const COMPOUND_MAX_LENGTH = 40

/** Letters that join two nouns, as in “Landschaftsarchitekt”. */
const LINKS = ['', 's', 'n', 'e', 'es', 'en', 'er', 'ns']

/**
 * Returns the two words that a folded word consists of, if listings have them or their meanings are listed: “Passwort”
 * and “Manager” of “Passwortmanager”. Returns the word itself if there are none, or if a listing has it.
 */
async function partsOfCompound(runner: Runner, word: string): Promise<string[]> {
  if (isSolid(word) || word.length < COMPOUND_MIN_LENGTH || word.length > COMPOUND_MAX_LENGTH) return [word]
  const splits = splitsOf(word)
  const inListings = new Set(await existingWords(runner, [...new Set([word, ...splits.flat()])].filter(isLong)))
  if (inListings.has(word)) return [word]
  const isKnown = (part: string) =>
    (part.length >= LISTED_PART_MIN_LENGTH && hasMeaning(part)) ||
    (isLong(part) && (inListings.has(part) || !isDistinctive(part)))
  // The most even split is the likeliest.
  const shorter = (parts: string[]) => Math.min(...parts.map(part => part.length))
  const known = splits.filter(parts => parts.every(isKnown) && parts.some(isDistinctive))
  return known.sort((one, other) => shorter(other) - shorter(one))[0] ?? [word]
}

const isLong = (part: string) => part.length >= PART_MIN_LENGTH

/** Returns all splits in two, without linking letters. “Nattåg” is “natt” and “tåg”: three equal letters become two. */
function splitsOf(word: string): [string, string][] {
  return [...word].slice(LISTED_PART_MIN_LENGTH, 1 - LISTED_PART_MIN_LENGTH).flatMap((_, nth) => {
    const place = nth + LISTED_PART_MIN_LENGTH
    const [left, right] = [word.slice(0, place), word.slice(place)]
    const firsts = LINKS.filter(link => left.endsWith(link)).map(link => left.slice(0, left.length - link.length))
    return [...firsts, left + left.at(-1)].map((first): [string, string] => [first, right])
  })
}
