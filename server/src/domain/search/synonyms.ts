import { ANSWERS } from './answers.ts'
import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { MEANINGS } from './meanings.ts'
import { stemOf, stemsOf } from './stems.ts'

/** Returns folded words with nearly the same meaning as a folded word, including itself. */
export function alike(word: string): readonly string[] {
  others ??= groupsByWord()
  const itself = others.get(entryOf(word))
  if (itself) return [...itself]
  // A short stem, or one in another language, may be another word, so it must keep most of this one.
  const isForm = (stem: string, place: number) =>
    (stem.length > 3 && (place === 0 || stem.length >= 0.6 * word.length)) || word.length - stem.length < 2
  const stem = stemsOf(word).find((stem, place) => others?.has(stem) && isForm(stem, place))
  const key = stem ?? nearForm(word)
  return key === undefined ? [] : [...(others.get(key) ?? [])]
}

/** Whether a folded word itself has synonyms. */
export const hasMeaning = (word: string): boolean => {
  others ??= groupsByWord()
  return others.has(entryOf(word))
}

/** Returns words with neighbours joined that are listed as one: “secondhand” for “second hand”. */
export function joined(words: readonly string[]): string[] {
  const result: string[] = []
  for (let place = 0; place < words.length; ) {
    const count =
      [3, 2].find(each => place + each <= words.length && hasMeaning(words.slice(place, place + each).join(''))) ?? 1
    result.push(words.slice(place, place + count).join(''))
    place += count
  }
  return result
}

/** Forms have at least this many letters in common at the beginning, and this share of the longer one. */
const [COMMON_MIN_LENGTH, COMMON_MIN_SHARE] = [6, 0.8]

/** Returns the listed word that differs least from a word, at its end only, as “repariert” and “reparieren”. */
function nearForm(word: string): string | undefined {
  const nearness = (other: string) => {
    let common = 0
    while (common < word.length && word[common] === other[common]) common++
    return common < COMMON_MIN_LENGTH ? 0 : common / Math.max(word.length, other.length)
  }
  const near = wordsWithMeaning().filter(other => nearness(other) >= COMMON_MIN_SHARE)
  return near.sort((one, other) => nearness(other) - nearness(one))[0]
}

/** Returns the listed words that a run without blanks contains, the longest at each place; none of one character. */
export function wordsInRun(run: string): string[] {
  solid ??= new Set(runsOf(MEANINGS + ANSWERS).filter(word => isSolid(word) && [...word].length > 1))
  const characters = [...run]
  const found: string[] = []
  for (let place = 0; place < characters.length; ) {
    const ends = [...characters.keys()].map(count => characters.slice(place, characters.length - count).join(''))
    const word = ends.find(each => solid?.has(each))
    if (word !== undefined) found.push(word)
    place += word === undefined ? 1 : [...word].length
  }
  return found
}

/** Returns the words that have synonyms, to correct typos in words that no listing has. */
export function wordsWithMeaning(): readonly string[] {
  listed ??= [...new Set(runsOf(MEANINGS + ANSWERS))].filter(word => !isSolid(word))
  return listed
}

/** Built by the first search, because only search needs them. */
let others: Map<string, Set<string>> | undefined
let listed: string[] | undefined
let solid: Set<string> | undefined

/** By the words, and by their English stems. */
function groupsByWord(): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>()
  for (const line of (MEANINGS + ANSWERS).trim().split(/[\n;]/)) {
    const [typed = '', answers = typed] = line.split('>')
    const group = runsOf(answers).map(entryOf)
    for (const word of runsOf(typed).map(entryOf)) {
      for (const key of new Set([word, stemOf(word, 'en')])) {
        byWord.set(key, new Set([...(byWord.get(key) ?? []), word, ...group]))
      }
    }
  }
  return byWord
}

/** The index has only this much of a run without blanks. */
function entryOf(run: string): string {
  return isSolid(run) ? [...run].slice(0, PIECE_LENGTH).join('') : run
}
