import { STEM } from './entries.ts'
import { fold, isSolid, runsAsWritten, wordsTogether } from './fold.ts'
import type { QueryWord } from './query.ts'
import { qualityOf } from './score.ts'
import { stemOf } from './stems.ts'

/** A stretch of a text, as hostile as the text itself. */
export interface Stretch {
  text: string
  isMatch: boolean
}

/** Returns what splits a text at what a search found: whole words, or parts of a run without blanks. */
export function marker(words: readonly QueryWord[]): (text: string, language: string) => Stretch[] {
  const qualities = words.map(qualityOf)
  const isFound = (entry: string) => qualities.some(quality => quality(entry) > 0)
  return (text, language) => marked(text, language, words, isFound)
}

function marked(text: string, language: string, words: readonly QueryWord[], isFound: (entry: string) => boolean) {
  const matches = runsAsWritten(text).flatMap(({ run, at }) => {
    const folded = fold(run)
    if (isSolid(folded)) return inside(run, folded, words).map(([from, to]) => [at + from, at + to] as const)
    const hit = isFound(folded) || isFound(STEM + stemOf(folded, language))
    return hit ? [[at, at + run.length] as const] : []
  })
  const together = wordsTogether(text)
    .filter(({ word }) => isFound(fold(word)))
    .map(({ at, length }) => [at, at + length] as const)
  return stretches(
    text,
    [...matches, ...together].sort(([one], [other]) => one - other),
  )
}

/** Where the words are in a run without blanks. If folding changed its length, the whole run matches. */
function inside(run: string, folded: string, words: readonly QueryWord[]): [from: number, to: number][] {
  const entries = words.flatMap(({ variants }) => variants.map(({ entry }) => entry)).filter(isSolid)
  const found: [from: number, length: number][] = []
  for (const entry of entries) {
    for (let at = folded.indexOf(entry); at >= 0; at = folded.indexOf(entry, at + entry.length))
      found.push([at, entry.length])
  }
  if (found.length > 0 && folded.length !== run.length) return [[0, run.length]]
  return found.map(([from, length]): [number, number] => [from, from + length]).sort(([one], [other]) => one - other)
}

/** Matches that touch or overlap become one. */
function stretches(text: string, matches: (readonly [from: number, to: number])[]): Stretch[] {
  const parts: Stretch[] = []
  let done = 0
  for (const [from, to] of matches) {
    if (to <= done) continue
    if (from > done) parts.push({ text: text.slice(done, from), isMatch: false })
    const last = parts.at(-1)
    const matched = text.slice(Math.max(from, done), to)
    if (last?.isMatch) last.text += matched
    else parts.push({ text: matched, isMatch: true })
    done = to
  }
  if (done < text.length) parts.push({ text: text.slice(done), isMatch: false })
  return parts
}
