import { isSolid, PIECE_LENGTH, runsOf } from './search-text.ts'

/** Longer input is cut, in characters. */
export const SEARCH_MAX_LENGTH = 100

const MAX_WORDS = 8

/**
 * What is looked up of what a person typed, each as the beginning of an entry of the index: letters and digits, so that
 * whatever is an operator to a search engine is gone. At most eight; each once, and none that another begins with.
 */
export function wordsOf(typed: string): string[] {
  const text = [...typed.normalize('NFC')].slice(0, SEARCH_MAX_LENGTH).join('').replace(ADDRESS, '$1$2')
  const words = runsOf(text)
    .flatMap(run => (isSolid(run) ? piecesOf(run) : run))
    .slice(0, MAX_WORDS)
  return words
    .filter((word, place) => words.indexOf(word) === place)
    .filter(word => !words.some(other => other !== word && other.startsWith(word)))
}

/** A pasted address is searched by its host, which is all that is indexed of one. */
const ADDRESS = /(^|\s)(?:https?:\/\/(?:www\.)?|www\.)([^\s/?#]*)\S*/gi

/** As few pieces as cover the run, the last one at its end. */
function piecesOf(run: string): string[] {
  const characters = [...run]
  const last = Math.max(0, characters.length - PIECE_LENGTH)
  const starts = [...Array(Math.ceil(last / PIECE_LENGTH)).keys()].map(place => place * PIECE_LENGTH)
  return [...starts, last].map(start => characters.slice(start, start + PIECE_LENGTH).join(''))
}
