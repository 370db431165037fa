import type { UnjudgedPage } from '../page.ts'
import { flag, type Opinion, PASS, reject } from '../verdict.ts'
import { KINDS, SAME, SOBERING } from './phrase-table.ts'
import type { Reviewer } from './reviewers.ts'

/** The reader process forms this opinion. */
export const phrases: Reviewer = {
  name: 'phrases',
  version: '5',
  review: page => page.judged.phrases,
}

/** Pages from this weight on are flagged. */
const FLAGGED_FROM = 10

/**
 * Phrases that hardly any other page uses, and how many that say different things refuse a page. Legitimate pages about
 * the subject quote two or three (docs/decisions/phrases-mostly-flag.md), while pages that sell use dozens.
 */
const DECISIVE_WEIGHT = 6
const DECISIVE_MIN = 4

/** In UTF-16 units. A page with less text has little but the phrases, so they are not a visitor's comment on it. */
const SHORT_TEXT = 1000

const split = (list: string) => list.split(',').map(phrase => phrase.trim().replace(/\s+/g, ' '))

/** The weight of every phrase by kind; none for the sobering phrases. */
const PHRASES = new Map<string, Map<string, number>>(split(SOBERING).map(phrase => [phrase, new Map()]))
for (const { kind, phrases: byWeight } of KINDS) {
  for (const [weight, list] of Object.entries(byWeight)) {
    for (const phrase of split(list)) {
      PHRASES.set(phrase, (PHRASES.get(phrase) ?? new Map()).set(kind, Number(weight)))
    }
  }
}

/** The phrase that stands for all that say the same. */
const MEANING = new Map(SAME.map(split).flatMap(all => all.map(phrase => [phrase, all[0]])))

/** By first word, the number of words in the longest phrase, so that most positions in a text cost one lookup. */
const WORDS_MAX = new Map<string, number>()
for (const phrase of PHRASES.keys()) {
  const words = phrase.split(' ')
  const first = words[0] as string
  WORDS_MAX.set(first, Math.max(words.length, WORDS_MAX.get(first) ?? 0))
}

/**
 * Weighs the phrases that a page uses, each once and as whole words. Enough decisive ones of one kind refuse the page if
 * they are its owner's: if it is short, if its title or description uses that kind, too, or if it has the form for a
 * login. Otherwise, or if the page also uses a sobering phrase, it is flagged.
 */
export function judgePhrases({ metadata, text, passwordForms }: UnjudgedPage): Opinion {
  // As plain letters: some pages write bold, circled or wide ones, so that filters don't recognise a word.
  const words = `${metadata.title}\n${metadata.description}\n${text}`.normalize('NFKC')
  const found = [...phrasesIn(words)]
  const sobering = found.filter(phrase => PHRASES.get(phrase)?.size === 0)
  let flagged: Opinion | undefined
  for (const { kind, reason } of KINDS) {
    const weights = found.flatMap(phrase => PHRASES.get(phrase)?.get(kind) ?? [])
    const weight = weights.reduce((sum, each) => sum + each, 0)
    if (weights.length < 2 || weight < FLAGGED_FROM) continue
    const phrases = found.filter(phrase => PHRASES.get(phrase)?.has(kind)).slice(0, 10)
    const context = inContext(words, phrases)
    const evidence = { kind, weight, phrases, sobering: sobering.slice(0, 10), context }
    // A page that asks for a login in such words and has the form for it shows both signs.
    const forms = kind === 'login' && passwordForms.length > 0 ? 1 : 0
    const decisive = found.filter(phrase => PHRASES.get(phrase)?.get(kind) === DECISIVE_WEIGHT)
    const meanings = new Set(decisive.map(phrase => MEANING.get(phrase) ?? phrase)).size + forms
    const isOwners = forms > 0 || text.length < SHORT_TEXT || isNamedAs(kind, metadata)
    if (meanings >= DECISIVE_MIN && isOwners && sobering.length === 0) return reject(reason, undefined, evidence)
    flagged ??= flag(reason, evidence)
  }
  return flagged ?? PASS
}

/** Visitors can write in a page's text, such as its comments, but not in its title and description. */
const isNamedAs = (kind: string, { title, description }: UnjudgedPage['metadata']): boolean =>
  [...phrasesIn(`${title}\n${description}`.normalize('NFKC'))].some(phrase => PHRASES.get(phrase)?.has(kind))

/** Returns the longest phrase at each position, so that no word counts twice. */
function phrasesIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const found = new Set<string>()
  for (let place = 0; place < words.length; place++) {
    const wordsMax = WORDS_MAX.get(words[place] as string) ?? 0
    let [phrase, longest] = ['', 0]
    for (let length = 1; length <= wordsMax && place + length <= words.length; length++) {
      phrase += `${length === 1 ? '' : ' '}${words[place + length - 1]}`
      if (PHRASES.has(phrase)) longest = length
    }
    if (longest === 0) continue
    found.add(words.slice(place, place + longest).join(' '))
    place += longest - 1
  }
  return found
}

/** UTF-16 units shown before and after a phrase. */
const AROUND = 60
const QUOTES_MAX = 4
const QUOTE_MAX_LENGTH = 300

/**
 * Quotes the first occurrence of each phrase with the words around it, so that an operator can judge without opening
 * the page. Occurrences that overlap become one quote.
 *
 * @param phrases in lower case, their words separated by single spaces
 */
function inContext(text: string, phrases: readonly string[]): string[] {
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
  const lower = words.map(([word]) => word.toLowerCase())
  const places = phrases.flatMap(phrase => {
    const parts = phrase.split(' ')
    const at = lower.findIndex((_, from) => parts.every((part, nth) => lower[from + nth] === part))
    const [first, last] = [words[at], words[at + parts.length - 1]]
    return first && last ? [{ from: first.index - AROUND, to: last.index + last[0].length + AROUND }] : []
  })
  const quotes: { from: number; to: number }[] = []
  for (const place of places.sort((a, b) => a.from - b.from)) {
    const before = quotes.at(-1)
    if (before && place.from <= before.to) before.to = Math.max(before.to, place.to)
    else quotes.push({ ...place })
  }
  return quotes.slice(0, QUOTES_MAX).map(({ from, to }) => quoteOf(text, Math.max(0, from), to))
}

function quoteOf(text: string, from: number, to: number): string {
  const end = Math.min(to, from + QUOTE_MAX_LENGTH, text.length)
  const quote = text.slice(from, end)
  const whole = quote
    .slice(from > 0 ? Math.max(0, quote.search(/\s/)) : 0, end < text.length ? lastSpace(quote) : undefined)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${from > 0 ? '… ' : ''}${whole}${end < text.length ? ' …' : ''}`
}

const lastSpace = (text: string): number | undefined => {
  const at = text.lastIndexOf(' ')
  return at > 0 ? at : undefined
}
