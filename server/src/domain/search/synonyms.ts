import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { ANSWERS, MEANINGS } from './meanings.ts'
import { stemOf, stemsOf } from './stems.ts'

/** Returns folded words with nearly the same meaning as a folded word, including itself. */
export function alike(word: string): readonly string[] {
  others ??= groupsByWord()
  const itself = others.get(entryOf(word))
  if (itself) return [...itself]
  // In another language than its own, a stem may be another word, so it must keep most of this one.
  const stem = stemsOf(word).find(
    (stem, place) => others?.has(stem) && (place === 0 || stem.length >= 0.6 * word.length),
  )
  return stem === undefined ? [] : [...(others.get(stem) ?? [])]
}

/** Returns the words that have synonyms, to correct typos in words that no listing has. */
export function wordsWithMeaning(): readonly string[] {
  listed ??= [...new Set(runsOf(MEANINGS + ANSWERS))].filter(word => !isSolid(word))
  return listed
}

/** Built by the first search, because only search needs them. */
let others: Map<string, Set<string>> | undefined
let listed: string[] | undefined

/** By the words, and by their English stems. */
function groupsByWord(): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>()
  for (const line of (MEANINGS + ANSWERS).trim().split('\n')) {
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
