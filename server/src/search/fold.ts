/**
 * Runs of letters and digits, without accents and case: words, and whole runs of the scripts that do not part words.
 * Each emoji is a word.
 */
export const runsOf = (text: string): string[] =>
  (fold(text).match(WORD) ?? [])
    .flatMap(word => word.match(SOLID_OR_NOT) ?? [])
    .flatMap(run => (isSolid(run) ? run : (run.match(SHORT_WORD) ?? [])))

/** Whether words stand in it without blanks, or may: in Korean, several nouns are often written as one. */
export const isSolid = (run: string): boolean => SOLID.test(run)

/** What of a solid run is one entry of the index, in characters: in most of these scripts, few words are longer. */
export const PIECE_LENGTH = 3

/** The runs of a text as they stand there, and where each begins. */
export const runsAsWritten = (text: string): { run: string; at: number }[] =>
  [...text.matchAll(WORD)].flatMap(word =>
    [...word[0].matchAll(SOLID_OR_NOT)].map(run => ({ run: run[0], at: word.index + run.index })),
  )

/** What is no accent is composed again: the marks of kana, the syllables of Korean. Emoji lose their skin tone. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\ufe0f\p{Emoji_Modifier}]/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ςßıđħłøæœ]/g, letter => PLAIN[letter] ?? letter)

const SOLID_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map(script => String.raw`\p{scx=${script}}`)
  .join('')
const SOLID = new RegExp(`^[${SOLID_SCRIPTS}]`, 'u')
const SOLID_OR_NOT = new RegExp(`[${SOLID_SCRIPTS}]+|[^${SOLID_SCRIPTS}]+`, 'gu')
const WORD = /[\p{L}\p{N}\p{M}]+|(?:\p{Extended_Pictographic}|\p{RI}{2})[\ufe0f\p{Emoji_Modifier}]*/gu
/** A long word is taken in several, as PostgreSQL has a limit. */
const SHORT_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,63}|\p{Extended_Pictographic}|\p{RI}{2}/gu

/** What Unicode does not take apart, as it is typed without accents and case. */
const PLAIN: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', ı: 'i' },
  ...{ đ: 'd', ħ: 'h', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe' },
}
