/** A word that people write with signs or blanks in it. */
interface Together {
  /** Without signs. */
  word: string
  /** Where it stands in its text, and how long it is there. */
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

/** Candidates, after anything but a letter or digit. `asOne` decides. */
const WITH_SIGNS =
  /(^|[^\p{L}\p{N}])([+0]\d(?:[ ()./-]{0,2}\d)+|\d+(?:[.,'’]\d+)+|\p{L}[-‐‑]\p{L}+|\p{L}(?:\+\+|#)|\.\p{L}+)/gu
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
  if (written.endsWith('#')) return `${letters}sharp`
  if (!written.startsWith('.')) return letters
  return letters.length <= DOTTED_MAX_LENGTH ? `dot${letters}` : undefined
}
