import { domainToUnicode } from 'node:url'

/**
 * What a listing is found by, as both engines index it: its words, folded, with blanks between, each once. Search folds
 * what was typed the same way, so neither engine need know a letter.
 */
export function searchText(listing: { title: string; description: string; hostname: string }): string {
  const { title, description, hostname } = listing
  // The name of an international host is the one that people read, and the one they copy.
  const text = [title, hostname, domainToUnicode(hostname), description].join(' ')
  return [...new Set(runsOf(text).flatMap(run => (isSolid(run) ? piecesFrom(run) : run)))].join(' ')
}

/**
 * Runs of letters and digits, without accents and case: words, and whole runs of the scripts that do not part words.
 */
export const runsOf = (text: string): string[] =>
  (fold(text).match(WORD) ?? [])
    .flatMap(word => word.match(SOLID_OR_NOT) ?? [])
    .flatMap(run => (isSolid(run) ? run : (run.match(SHORT_WORD) ?? [])))

/** Whether words stand in it without blanks, or may: in Korean, several nouns are often written as one. */
export const isSolid = (run: string): boolean => SOLID.test(run)

/** What of a solid run is one entry of the index, in characters: in most of these scripts, few words are longer. */
export const PIECE_LENGTH = 3

/** What begins at each of its characters: so that every word in it is the beginning of an entry. */
function piecesFrom(run: string): string[] {
  const characters = [...run]
  return characters.map((_, place) => characters.slice(place, place + PIECE_LENGTH).join(''))
}

const SOLID_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map(script => String.raw`\p{scx=${script}}`)
  .join('')
const SOLID = new RegExp(`^[${SOLID_SCRIPTS}]`, 'u')
const SOLID_OR_NOT = new RegExp(`[${SOLID_SCRIPTS}]+|[^${SOLID_SCRIPTS}]+`, 'gu')
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** A long word is taken in several, as PostgreSQL has a limit. */
const SHORT_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,63}/gu

/** What is no accent is composed again: the marks of kana, the syllables of Korean. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ςßıđħłøæœ]/g, letter => PLAIN[letter] ?? letter)

/** What Unicode does not take apart, as it is typed without accents and case. */
const PLAIN: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', ı: 'i' },
  ...{ đ: 'd', ħ: 'h', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe' },
}
