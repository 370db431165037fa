import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { writtenTogether } from './together.ts'

/** Longer input is cut, in characters. */
export const SEARCH_MAX_LENGTH = 100

const MAX_WORDS = 8

/**
 * The words to look up in what a person typed, folded, without elided articles. They hold only letters, digits and emoji,
 * and so no operator of a search engine. At most eight words, or pieces of a run without blanks; none twice, and none that
 * another begins with.
 */
export function wordsOf(typed: string): string[] {
  const text = cut(typed).normalize('NFC').replace(ADDRESS, '$1$2').replace(ELIDED, '$1$2')
  const words = runsOf(writtenTogether(text))
    .flatMap(run => (isSolid(run) ? piecesOf(run) : run))
    .slice(0, MAX_WORDS)
  return words
    .filter((word, place) => words.indexOf(word) === place)
    .filter(word => !words.some(other => other !== word && other.startsWith(word)))
}

/** What a person typed, fit to show and to put into an address: no control or formatting characters. */
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

/** As few pieces as cover the run, the last at its end. */
function piecesOf(run: string): string[] {
  const characters = [...run]
  const last = Math.max(0, characters.length - PIECE_LENGTH)
  const starts = [...Array(Math.ceil(last / PIECE_LENGTH)).keys()].map(place => place * PIECE_LENGTH)
  return [...starts, last].map(start => characters.slice(start, start + PIECE_LENGTH).join(''))
}
