import { isSolid, PIECE_LENGTH, runsOf } from './search-text.ts'

/** Longer input is cut, in characters. */
export const SEARCH_MAX_LENGTH = 100

const MAX_WORDS = 8

/**
 * The prefixes to look up for a typed query: letters and digits only, so no search operators remain. At most eight,
 * each once, and none that is a prefix of another.
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

/** A pasted address is reduced to its host, the only part that is indexed. */
const ADDRESS = /(^|\s)(?:https?:\/\/(?:www\.)?|www\.)([^\s/?#]*)\S*/gi

/** The fewest pieces that cover the run; the last one ends with it. */
function piecesOf(run: string): string[] {
  const characters = [...run]
  const last = Math.max(0, characters.length - PIECE_LENGTH)
  const starts = [...Array(Math.ceil(last / PIECE_LENGTH)).keys()].map(place => place * PIECE_LENGTH)
  return [...starts, last].map(start => characters.slice(start, start + PIECE_LENGTH).join(''))
}
