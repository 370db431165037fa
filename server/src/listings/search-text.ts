import { domainToUnicode } from 'node:url'

/**
 * The text both engines index for a listing: its folded words, each once, separated by spaces. Search folds queries the
 * same way, so the engines need to know nothing about letters.
 */
export function searchText(listing: { title: string; description: string; hostname: string }): string {
  const { title, description, hostname } = listing
  // People read an international host in one spelling and copy it in the other.
  const text = [title, hostname, domainToUnicode(hostname), description].join(' ')
  return [...new Set(runsOf(text).flatMap(run => (isSolid(run) ? piecesFrom(run) : run)))].join(' ')
}

/** Runs of letters and digits, without accents and case: words, or whole runs in scripts that do not separate words. */
export const runsOf = (text: string): string[] =>
  (fold(text).match(WORD) ?? [])
    .flatMap(word => word.match(SOLID_OR_NOT) ?? [])
    .flatMap(run => (isSolid(run) ? run : (run.match(SHORT_WORD) ?? [])))

/** Whether words may stand in it without spaces. Korean counts: it often joins several nouns. */
export const isSolid = (run: string): boolean => SOLID.test(run)

/** Length of an index entry in a solid run, in characters. In most of these scripts, few words are longer. */
export const PIECE_LENGTH = 3

/** The piece that starts at each character, so that every word in the run starts an entry. */
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
/** Splits long words, because PostgreSQL has a limit. */
const SHORT_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,63}/gu

/** Drops accents, and composes other marks again: those of kana, and Korean syllables. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ςßıđħłøæœ]/g, letter => PLAIN[letter] ?? letter)

/** Letters that Unicode does not decompose, and how people type them without accents. */
const PLAIN: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', ı: 'i' },
  ...{ đ: 'd', ħ: 'h', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe' },
}
