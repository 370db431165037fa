import type { ReviewReason } from '@placard/contract'
import { flag, type Opinion, PASS, reject } from '../destinations/verdict.ts'
import type { UnjudgedPage } from '../reading/page.ts'
import { KINDS, SOBERING } from './phrase-table.ts'
import type { Reviewer } from './reviewers.ts'

/** Its opinion was formed where the page was read. */
export const phrases: Reviewer = {
  name: 'phrases',
  version: '1',
  review: page => page.judged.phrases,
}

/** From this weight on a page is refused, and from the lower one the operator is told. */
const REFUSED_FROM = 10
const FLAGGED_FROM = 8
const DISTINCT_MIN = 2
const SOBERING_WEIGHT = 4

interface Weighed {
  kind: string
  reason: ReviewReason
  weight: number
}

const split = (list: string) => list.split(',').map(phrase => phrase.trim().replace(/\s+/g, ' '))

/** Every phrase of a kind, and the sobering ones without. */
const PHRASES = new Map<string, Weighed | undefined>([
  ...KINDS.flatMap(({ kind, reason, phrases: byWeight }) =>
    Object.entries(byWeight).flatMap(([weight, list]) =>
      split(list).map(phrase => [phrase, { kind, reason, weight: Number(weight) }] as const),
    ),
  ),
  ...split(SOBERING).map(phrase => [phrase, undefined] as const),
])
const WORDS_MAX = Math.max(...[...PHRASES.keys()].map(phrase => phrase.split(' ').length))
/** The first words of all phrases, so that most places of a text cost one lookup. */
const FIRST_WORDS = new Set([...PHRASES.keys()].map(phrase => phrase.split(' ', 1)[0]))

/** Weighs the phrases that a page uses, each once and as whole words. What warns or teaches takes weight away. */
export function judgePhrases({ metadata, text }: UnjudgedPage): Opinion {
  const found = phrasesIn(`${metadata.title}\n${metadata.description}\n${text}`)
  const sobering = [...found].filter(phrase => PHRASES.get(phrase) === undefined)
  for (const { kind, reason } of KINDS) {
    const used = [...found].filter(phrase => PHRASES.get(phrase)?.kind === kind)
    const heavy = used.reduce((sum, phrase) => sum + (PHRASES.get(phrase)?.weight ?? 0), 0)
    const weight = heavy - SOBERING_WEIGHT * sobering.length
    if (used.length < DISTINCT_MIN || weight < FLAGGED_FROM) continue
    const evidence = { kind, weight, phrases: used.slice(0, 10), sobering: sobering.slice(0, 10) }
    return weight < REFUSED_FROM ? flag(reason, evidence) : reject(reason, undefined, evidence)
  }
  return PASS
}

function phrasesIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const found = new Set<string>()
  for (const [place, word] of words.entries()) {
    if (!FIRST_WORDS.has(word)) continue
    let phrase = ''
    for (const next of words.slice(place, place + WORDS_MAX)) {
      phrase = phrase === '' ? next : `${phrase} ${next}`
      if (PHRASES.has(phrase)) found.add(phrase)
    }
  }
  return found
}
