/** Longer input is cut, in characters. */
export const SEARCH_MAX_LENGTH = 100

const MAX_WORDS = 8

/**
 * The words of what a person typed: runs of letters and digits, so that whatever is an operator to a search engine is
 * gone. At most eight; each once, and none that another begins with, since each is searched as a beginning.
 */
export function wordsOf(typed: string): string[] {
  const words = [...typed.normalize('NFC')].slice(0, SEARCH_MAX_LENGTH).join('').match(WORD) ?? []
  const folded = words.slice(0, MAX_WORDS).map(fold)
  return folded
    .filter((word, place) => folded.indexOf(word) === place)
    .filter(word => !folded.some(other => other !== word && other.startsWith(word)))
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/**
 * Without accents and case: what the index of PostgreSQL does to the texts, by the same rules. SQLite's does it by
 * itself, to texts and query alike, but for letters it does not know: so they are put together again.
 */
const fold = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
