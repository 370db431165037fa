import type { Gist, PageMetadata } from '../page.ts'

export const GIST_WORDS_MAX = 40
/** Shorter words are mostly grammar. */
const WORD_MIN_LENGTH = 4
const WORD_MAX_LENGTH = 30
/** Words per shingle. `shinglesIn` is written for three. */
const SHINGLE = 3
const BITS = 64

/** In scripts that do not separate words, every character is one. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu

/** Returns what identifies the page's text and its subject. */
export function gistOf({ title, description }: Pick<PageMetadata, 'title' | 'description'>, text: string): Gist {
  const named = wordsIn(`${title}\n${description}`)
  const written = wordsIn(text)
  return {
    fingerprint: simHash([...wordsIn(title), ...written]),
    words: [...new Set([...distinctiveWords(named), ...mostFrequent(distinctiveWords(written))])].slice(
      0,
      GIST_WORDS_MAX,
    ),
  }
}

/** Returns in how many of the 64 bits two fingerprints differ. For unrelated texts, it is about half of them. */
export function bitsBetween(a: string, b: string): number {
  let difference = BigInt(`0x${a}`) ^ BigInt(`0x${b}`)
  let bits = 0
  for (; difference > 0n; difference &= difference - 1n) bits++
  return bits
}

/**
 * SimHash (Charikar, "Similarity estimation techniques from rounding algorithms", 2002; for web pages: Manku, Jain and
 * Das Sarma, "Detecting near-duplicates for web crawling", 2007). Every shingle votes for or against each bit by its
 * own hash, and the majority wins. A few changed shingles therefore change few bits.
 *
 * @returns 64 bits in hex; zeros if there are no words
 */
function simHash(words: readonly string[]): string {
  const shingles = shinglesIn(words)
  const votes = new Uint32Array(BITS)
  for (const at of shingles) {
    const [low, high] = [hashOf(words, at, 0x811c9dc5), hashOf(words, at, 0x1b873593)]
    for (let bit = 0; bit < 32; bit++) {
      votes[bit] = (votes[bit] as number) + ((low >>> bit) & 1)
      votes[bit + 32] = (votes[bit + 32] as number) + ((high >>> bit) & 1)
    }
  }
  const digits = Array.from({ length: BITS / 4 }, (_, digit) =>
    [3, 2, 1, 0].reduce((sum, bit) => sum * 2 + Number(2 * (votes[digit * 4 + bit] as number) > shingles.length), 0),
  )
  return digits.map(digit => digit.toString(16)).join('')
}

/**
 * Returns where each distinct shingle begins. Each counts once, so that repeated text does not outvote the rest. A
 * shorter text is one shingle. Words are compared by number, because putting shingles into a set as text takes as long
 * as parsing the page.
 */
function shinglesIn(words: readonly string[]): number[] {
  if (words.length <= SHINGLE) return words.length > 0 ? [0] : []
  const numbers = new Map<string, number>()
  for (const word of words) if (!numbers.has(word)) numbers.set(word, numbers.size)
  const numbered = words.map(word => numbers.get(word) as number)
  const seen = new Set<number>()
  const starts: number[] = []
  let [first = 0, second = 0] = numbered
  for (let at = SHINGLE - 1; at < numbered.length; at++) {
    const third = numbered[at] as number
    // Exact, because a page has at most 20,000 words.
    seen.add((first * numbers.size + second) * numbers.size + third)
    if (seen.size > starts.length) starts.push(at - SHINGLE + 1)
    first = second
    second = third
  }
  return starts
}

const SPACE = 32

/**
 * Hashes the shingle that begins at a word, with single spaces in between: FNV-1a, with the last step of MurmurHash3, so
 * that similar shingles have unrelated hashes.
 */
function hashOf(words: readonly string[], start: number, seed: number): number {
  let hash = seed
  const end = Math.min(start + SHINGLE, words.length)
  for (let at = start; at < end; at++) {
    if (at > start) hash = Math.imul(hash ^ SPACE, 0x01000193)
    const word = words[at] as string
    for (let letter = 0; letter < word.length; letter++) hash = Math.imul(hash ^ word.charCodeAt(letter), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(WORDS) ?? []

/** A Korean word without its particles and endings: most have two syllables. */
const KOREAN = /^\p{Script=Hangul}{2}/u

/**
 * Returns the words that are long enough to be meaningful. In scripts that do not separate words, returns pairs of
 * characters.
 */
function distinctiveWords(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const korean = KOREAN.exec(word)
    if (korean) return korean[0]
    if (word.length >= WORD_MIN_LENGTH) return word.slice(0, WORD_MAX_LENGTH)
    const next = words[at + 1]
    return isAlone(word) && next !== undefined && isAlone(next) ? word + next : []
  })
}

const isAlone = (word: string) => word.length === 1 && word > '\u0e00'

function mostFrequent(words: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word)
}
