import { SEARCH_MAX_LENGTH } from '@placard/contract'
import { STEM } from './entries.ts'
import { isSolid, PIECE_LENGTH, runsOf, writtenTogether } from './fold.ts'
import { stemOf, stemsOf } from './stems.ts'
import { alike } from './synonyms.ts'
import type { Correction } from './vocabulary.ts'

/** An entry that counts as a typed word, and its quality: 1 for the word itself. */
interface Variant {
  entry: string
  /** Whether every entry with this beginning counts. */
  isBeginning: boolean
  quality: number
}

/** A word, or a piece of a run without blanks, with everything that counts as it. */
export interface QueryWord {
  typed: string
  /** Whether other words were found for it, so that it is not a typo. */
  isKnown: boolean
  variants: Variant[]
}

const QUALITY = {
  word: 1,
  englishStem: 0.9,
  stem: 0.7,
  beginning: 0.75,
  likelier: 0.75,
  meaning: 0.6,
  stemBeginning: 0.5,
  inside: 0.5,
  like: 0.5,
  unlike: 0.3,
}

/** Too many unrelated words begin with shorter ones. */
const [BEGINNING_MIN_LENGTH, STEM_BEGINNING_MIN_LENGTH] = [2, 5]

/** The word itself, and words with the same stem in some language. */
export function exactly(word: string): QueryWord {
  if (isSolid(word)) return { typed: word, isKnown: true, variants: [beginning(word, QUALITY.word)] }
  const stems = stemsOf(word).filter((stem, place) => place === 0 || isForm(word, stem))
  return {
    typed: word,
    isKnown: false,
    variants: [
      whole(word, QUALITY.word),
      ...stems.flatMap((stem, place) => {
        const quality = place === 0 ? QUALITY.englishStem : QUALITY.stem
        return [whole(STEM + stem, quality), ...(stem === word ? [] : [whole(stem, quality)])]
      }),
    ],
  }
}

/** The word itself, its forms, and words that begin with it. */
export function startingWith(word: string): QueryWord {
  const itself = exactly(word)
  return { ...itself, variants: [...itself.variants, beginning(word, QUALITY.beginning)] }
}

/**
 * Returns what has the same stem as a word in a language. There are few entries, because each costs an index lookup.
 */
export function ofListing(word: string, language: string): QueryWord {
  if (isSolid(word)) return exactly(word)
  const stem = stemOf(word, language)
  const variants = [whole(STEM + stem, QUALITY.word), whole(stem, QUALITY.word)]
  return { typed: word, isKnown: true, variants }
}

/**
 * Adds entries that begin with the word or its stem, its synonyms, words that contain it, and words that are likelier
 * meant than a form of the word in some language.
 */
export function relaxedWord(word: string, inside: readonly string[], like: readonly string[] = []): QueryWord {
  const { variants } = exactly(word)
  const stems = isSolid(word) ? [] : stemsOf(word)
  const meanings = alike(word)
  return {
    typed: word,
    isKnown: isSolid(word) || inside.length + meanings.length > 0,
    variants: [
      ...variants,
      ...(word.length >= BEGINNING_MIN_LENGTH ? [beginning(word, QUALITY.beginning)] : []),
      ...stems
        .filter((stem, place) => stem.length >= leastStem(word, place) && stem !== word)
        .map(stem => beginning(stem, QUALITY.stemBeginning)),
      ...meanings.map(meant),
      ...inside.map(entry => whole(entry, QUALITY.inside)),
      ...like.map(entry => whole(entry, QUALITY.likelier)),
    ],
  }
}

/**
 * Returns words for a search in which a listing may have some of them only: a short word is not the beginning of others,
 * as “car” of “cargo”.
 */
export const withoutShortBeginnings = (words: readonly QueryWord[]): QueryWord[] =>
  words.map(word => ({
    ...word,
    variants: word.variants.filter(({ entry, isBeginning }) => !isBeginning || entry.length > 3 || isSolid(entry)),
  }))

/** Returns words without the variants that are much less likely than the best one, such as their meanings. */
export const likeliest = (words: readonly QueryWord[]): QueryWord[] =>
  words.map(word => {
    const best = Math.max(...word.variants.map(({ quality }) => quality))
    return { ...word, variants: word.variants.filter(({ quality }) => quality >= LIKELY_SHARE * best) }
  })
const LIKELY_SHARE = 0.7

/** Returns words without most of their unlikely variants: the first few find enough, where there are many listings. */
export const withoutMost = (word: QueryWord): QueryWord => {
  const likely = new Set(likeliest([word])[0]?.variants)
  const others = word.variants.filter(variant => !likely.has(variant)).slice(0, UNLIKELY_MAX)
  return { ...word, variants: [...likely, ...others] }
}
const UNLIKELY_MAX = 16

/** Whether every entry that counts as one word counts as another, too. */
export const covers = ({ variants }: QueryWord, narrower: QueryWord): boolean =>
  narrower.variants.every(({ entry, isBeginning }) =>
    variants.some(other => (other.isBeginning ? entry.startsWith(other.entry) : !isBeginning && entry === other.entry)),
  )

/** Whether a stem keeps most of a word. In a language that is not that of the word, it may be another word. */
const isForm = (word: string, stem: string) =>
  stem.length >= FORM_MIN_LENGTH && stem.length >= FORM_MIN_SHARE * word.length
const [FORM_MIN_LENGTH, FORM_MIN_SHARE] = [4, 0.6]

/** The stems of a word in languages other than English, where they differ from the word. */
export const foreignStems = (word: string): string[] =>
  isSolid(word) ? [] : stemsOf(word).filter((stem, place) => place > 0 && stem !== word && isForm(word, stem))

/** The shortest stem that counts as a beginning. The stemmer of another language may cut off too much. */
const leastStem = (word: string, place: number) =>
  place === 0 ? STEM_BEGINNING_MIN_LENGTH : Math.max(STEM_BEGINNING_MIN_LENGTH, word.length - 2)

/** Returns a word with a typo, as the words that may be meant, the likeliest first, and what they mean. */
export const mistyped = (word: string, like: readonly Correction[]): QueryWord => ({
  typed: word,
  isKnown: true,
  variants: like.flatMap(({ word: meantWord, isBeginning }, place) => {
    const quality = QUALITY.like - (QUALITY.like - QUALITY.unlike) * Math.min(1, place / UNLIKE_PLACE)
    const meanings = place === 0 && !isBeginning ? alike(meantWord).map(meant) : []
    return [{ entry: meantWord, isBeginning, quality }, ...meanings.map(each => ({ ...each, quality: quality / 2 }))]
  }),
})

/** From this place on, all corrections are as unlikely. */
const UNLIKE_PLACE = 4

const whole = (entry: string, quality: number): Variant => ({ entry, isBeginning: false, quality })
const beginning = (entry: string, quality: number): Variant => ({ entry, isBeginning: true, quality })

/** Too many words begin with short ones. */
const meant = (word: string): Variant =>
  word.length > 4 || isSolid(word) ? beginning(word, QUALITY.meaning) : whole(word, QUALITY.meaning)

const MAX_WORDS = 16

/**
 * Returns the words to look up, from what a person typed: folded, without elided articles. They contain only letters,
 * digits and emoji, and so no operator of a search engine. There are at most sixteen words, or pieces of a run without
 * blanks. None is there twice, or is the beginning of another.
 *
 * @param inRun how to cut such a run
 */
export function wordsOf(typed: string, inRun: (run: string) => string[] = piecesOf): string[] {
  const text = cut(typed).normalize('NFC').replace(ADDRESS, '$1$2').replace(ELIDED, '$1$2')
  const words = runsOf(writtenTogether(text))
    .flatMap(run => (isSolid(run) ? inRun(run) : run))
    .slice(0, MAX_WORDS)
  return words
    .filter((word, place) => words.indexOf(word) === place)
    .filter(word => !words.some(other => other !== word && other.startsWith(word)))
}

/** Returns what a person typed, safe to show and to put into an address: no control or formatting characters. */
export function shownQuery(typed: unknown): string {
  if (typeof typed !== 'string') return ''
  const text = typed
    .slice(0, UNITS_MAX)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return cut(text).trim()
}

/** No character takes more than a few UTF-16 units, so search needs no more than these. */
const UNITS_MAX = 10 * SEARCH_MAX_LENGTH

const cut = (text: string) => [...text.slice(0, UNITS_MAX)].slice(0, SEARCH_MAX_LENGTH).join('')

/** A pasted address counts as its host, the only part that is indexed. */
const ADDRESS = /(^|\s)(?:https?:\/\/(?:www\.)?|www\.)([^\s/?#]*)\S*/gi

/** Articles that French, Italian and Catalan shorten, as in “l’atelier”. A listing may have the word without one. */
const ELIDED = /(^|[^\p{L}\p{N}\p{M}])(?:\p{L}|qu)['’](\p{L})/giu

/** The fewest pieces that cover the run, the last at its end. */
export function piecesOf(run: string): string[] {
  const characters = [...run]
  const last = Math.max(0, characters.length - PIECE_LENGTH)
  const starts = [...Array(Math.ceil(last / PIECE_LENGTH)).keys()].map(place => place * PIECE_LENGTH)
  return [...starts, last].map(start => characters.slice(start, start + PIECE_LENGTH).join(''))
}
