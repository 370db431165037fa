import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { writtenTogether } from './together.ts'

/** Longer input is cut, in characters. */
export const SEARCH_MAX_LENGTH = 100

const MAX_WORDS = 8

/**
 * What is looked up of what a person typed, folded: letters, digits and emoji, so that whatever is an operator to a
 * search engine is gone, and without elided articles. At most eight words, or pieces of a run without blanks; each once, and
 * none that another begins with.
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

/** What a person typed as it can be shown and put into an address: without control and formatting characters. */
export function shownQuery(typed: unknown): string {
  if (typeof typed !== 'string') return ''
  const text = typed
    .slice(0, UNITS_MAX)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return cut(text).trim()
}

/** No character takes more than a few units of a string, and nothing ever looks at more. */
const UNITS_MAX = 10 * SEARCH_MAX_LENGTH

const cut = (text: string) => [...text.slice(0, UNITS_MAX)].slice(0, SEARCH_MAX_LENGTH).join('')

/** A pasted address is searched by its host, which is all that is indexed of one. */
const ADDRESS = /(^|\s)(?:https?:\/\/(?:www\.)?|www\.)([^\s/?#]*)\S*/gi

/** What French, Italian and Catalan shorten before a vowel, as in “l’atelier”: a listing may have the word without it. */
const ELIDED = /(^|[^\p{L}\p{N}\p{M}])(?:\p{L}|qu)['’](\p{L})/giu

/** As few pieces as cover the run, the last one at its end. */
function piecesOf(run: string): string[] {
  const characters = [...run]
  const last = Math.max(0, characters.length - PIECE_LENGTH)
  const starts = [...Array(Math.ceil(last / PIECE_LENGTH)).keys()].map(place => place * PIECE_LENGTH)
  return [...starts, last].map(start => characters.slice(start, start + PIECE_LENGTH).join(''))
}
