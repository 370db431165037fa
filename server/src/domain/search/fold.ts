/**
 * Runs of letters and digits, without accents and case: words, or whole runs in scripts that do not separate words. Each
 * emoji is a word.
 */
export const runsOf = (text: string): string[] =>
  (fold(text).match(WORD) ?? [])
    .flatMap(word => word.match(SOLID_OR_NOT) ?? [])
    .flatMap(run => (isSolid(run) ? run : (run.match(SHORT_WORD) ?? [])))

/** Whether a run may hold several words. Korean often writes several nouns as one. */
export const isSolid = (run: string): boolean => SOLID.test(run)

/** The length of an entry from a solid run, in characters. In most of these scripts, few words are longer. */
export const PIECE_LENGTH = 3

/** The runs of a text as written, and where each begins. */
export const runsAsWritten = (text: string): { run: string; at: number }[] =>
  [...text.matchAll(WORD)].flatMap(word =>
    [...word[0].matchAll(SOLID_OR_NOT)].map(run => ({ run: run[0], at: word.index + run.index })),
  )

/**
 * Drops accents, the points of Hebrew and Arabic, case, and the skin tones of emoji. Keeps other marks: those of kana,
 * the syllables of Korean. Writes hiragana as katakana, which Unicode has in the same order.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\ufe0f\p{Emoji_Modifier}]/gu, '')
    .replace(POINTS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ςßıđħłøæœىیک]/g, letter => PLAIN[letter] ?? letter)
    .replace(/[ぁ-ゖゝゞ]/g, letter => String.fromCharCode(letter.charCodeAt(0) + KATAKANA_AFTER))

/** How far a katakana is behind its hiragana. */
const KATAKANA_AFTER = 0x60

/** Of Hebrew and Arabic, with the hamza on a letter and the stroke that stretches one. Few people type them. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0655\u0670]/g

const SOLID_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map(script => String.raw`\p{scx=${script}}`)
  .join('')
const SOLID = new RegExp(`^[${SOLID_SCRIPTS}]`, 'u')
const SOLID_OR_NOT = new RegExp(`[${SOLID_SCRIPTS}]+|[^${SOLID_SCRIPTS}]+`, 'gu')
const WORD = /[\p{L}\p{N}\p{M}]+|(?:\p{Extended_Pictographic}|\p{RI}{2})[\ufe0f\p{Emoji_Modifier}]*/gu

/** Splits longer words, since PostgreSQL has a limit. */
const SHORT_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,63}|\p{Extended_Pictographic}|\p{RI}{2}/gu

/** Letters that Unicode does not decompose, as people type them without accents, or on another keyboard. */
const PLAIN: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', ı: 'i', đ: 'd', ħ: 'h', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe' },
  ...{ ى: 'ي', ی: 'ي', ک: 'ك' },
}

/** A word that people write with signs or blanks in it. */
interface Together {
  /** Without signs. */
  word: string
  /** Its position and length in the text. */
  at: number
  length: number
}

/** The words of a text such as `1,204`, `+44 20 7946 0958`, `e-mail`, `C++`, `C#` and `.NET`. */
export const wordsTogether = (text: string): Together[] =>
  [...text.matchAll(WITH_SIGNS)].flatMap(({ index, 1: before = '', 2: written = '' }) => {
    const word = asOne(written)
    return word === undefined ? [] : [{ word, at: index + before.length, length: written.length }]
  })

/** The text with each of these written without signs. */
export const writtenTogether = (text: string): string =>
  text.replace(WITH_SIGNS, (match, before: string, written: string) => {
    const word = asOne(written)
    return word === undefined ? match : `${before}${word} `
  })

/** Candidates, after anything except a letter or digit. `asOne` decides. */
const WITH_SIGNS =
  /(^|[^\p{L}\p{N}])([+0]\d(?:[ ()./-]{0,2}\d)+|\d+(?:[.,'’]\d+)+|\p{L}[-‐‑]\p{L}+|\p{L}(?:\+\+|[#♯])|\.\p{L}+)/gu
const THOUSANDS = /^\d{1,3}(?:[.,'’]\d{3})+$/
const [PHONE_MIN_DIGITS, PHONE_MAX_DIGITS] = [7, 15]

/** Longer ones are the beginning of a sentence rather than a name such as `.NET` or `.env`. */
const DOTTED_MAX_LENGTH = 4

function asOne(written: string): string | undefined {
  const letters = written.replace(/[^\p{L}]/gu, '')
  if (letters === '') {
    const digits = written.replace(/\D/g, '')
    const isPhone = digits.length >= PHONE_MIN_DIGITS && digits.length <= PHONE_MAX_DIGITS
    const isNumber = /^[+0]/.test(written) ? isPhone : THOUSANDS.test(written)
    return isNumber ? digits : undefined
  }
  if (written.endsWith('++')) return `${letters}plusplus`
  if (/[#♯]$/.test(written)) return `${letters}sharp`
  if (!written.startsWith('.')) return letters
  return letters.length <= DOTTED_MAX_LENGTH ? `dot${letters}` : undefined
}
