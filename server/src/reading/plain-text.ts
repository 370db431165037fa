/** Control characters but for white space, lone surrogates, and what cannot be seen: bidi marks, tags, fillers, BOM. */
const UNSEEN = /(?![\t\n\v\f\r]|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** One joiner matters inside words of some scripts and inside emoji; more, and all others, do not. */
const JOINERS = /([\p{L}\p{M}\p{Extended_Pictographic}][\u200c\u200d])[\u200c\u200d]*|[\u200c\u200d]+/gu

/**
 * More marks than scripts put on one letter: Burmese and pointed Hebrew reach five. Piled higher, as the thirty of
 * Unicode's stream-safe text would allow, they cover the lines above and below. A joiner between begins no new letter.
 */
const PILED_MARKS = /((?:\p{M}[\u200c\u200d]*){5})(?:\p{M}[\u200c\u200d]*)+/gu

/** What shows that something was left out. */
const CUT_SIGN = '…'

/** How far back from where there is no more room a cut looks for the end of a word, in UTF-16 units. */
const WORD_SEARCH_LENGTH = 30

/**
 * Text of strangers as it may be shown and stored: NFC, without control, bidi and invisible characters, white space
 * folded, at most `maxLength` UTF-16 units. What is longer is cut after a word, or in scripts without spaces between
 * visible characters, and ends in “…”.
 */
export function plainText(raw: string, maxLength: number): string {
  const text = raw
    .slice(0, maxLength * 4) // enough to fill the length, and a bound on the work
    .replace(UNSEEN, '')
    .replace(JOINERS, '$1')
    .replace(PILED_MARKS, '$1') // composing takes the square of a pile's height
    .normalize('NFC')
    .replace(PILED_MARKS, '$1') // of letters that NFC takes apart
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > maxLength ? cut(text, maxLength - CUT_SIGN.length) : text
}

function cut(text: string, maxLength: number): string {
  const end = visibleEnd(text, maxLength)
  const wordEnd = text.lastIndexOf(' ', end)
  const isNear = wordEnd > 0 && end - wordEnd <= WORD_SEARCH_LENGTH
  return text.slice(0, isNear ? wordEnd : end).trimEnd() + CUT_SIGN
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Where the visible character that crosses `maxLength` begins. */
function visibleEnd(text: string, maxLength: number): number {
  const crossing = graphemes.segment(text).containing(maxLength)
  if (crossing !== undefined && crossing.index > 0) return crossing.index
  // One visible character that fills everything is no honest text: cut at a code point.
  return maxLength - (/[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) ? 1 : 0)
}
