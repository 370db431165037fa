import type { Runner } from '../../platform/db/store.ts'
import { isSolid } from './fold.ts'
import { hasMeaning } from './synonyms.ts'
import { knownAmong } from './vocabulary.ts'
import { isDistinctive } from './weak-words.ts'

// German, Dutch and the Scandinavian languages write several nouns as one word, and people write names so in any language.

/** Shorter words are no compounds. Shorter parts would be found in unrelated words, unless their meaning is listed. */
const [COMPOUND_MIN_LENGTH, PART_MIN_LENGTH, LISTED_PART_MIN_LENGTH] = [6, 4, 3]
/** Longer ones are cut at no place. */
const COMPOUND_MAX_LENGTH = 40

/** Letters that join two nouns, as in “Landschaftsarchitekt”. */
const LINKS = ['', 's', 'n', 'e', 'es', 'en', 'er', 'ns']

/**
 * Returns the two words that a folded word consists of, if listings have them or their meanings are listed: “Passwort”
 * and “Manager” of “Passwortmanager”. Returns the word itself if there are none, or if a listing has it.
 */
export async function partsOfCompound(runner: Runner, word: string): Promise<string[]> {
  if (isSolid(word) || word.length < COMPOUND_MIN_LENGTH || word.length > COMPOUND_MAX_LENGTH) return [word]
  const splits = splitsOf(word)
  const inListings = new Set(await knownAmong(runner, [...new Set([word, ...splits.flat()])].filter(isLong)))
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

/** With each link, or with the letter that is written once where three would meet, as in “Nattåg”. */
function splitsOf(word: string): [string, string][] {
  return [...word].slice(LISTED_PART_MIN_LENGTH, 1 - LISTED_PART_MIN_LENGTH).flatMap((_, nth) => {
    const place = nth + LISTED_PART_MIN_LENGTH
    const [left, right] = [word.slice(0, place), word.slice(place)]
    const firsts = LINKS.filter(link => left.endsWith(link)).map(link => left.slice(0, left.length - link.length))
    return [...firsts, left + left.at(-1)].map((first): [string, string] => [first, right])
  })
}
