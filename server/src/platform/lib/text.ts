import { lazily } from './lazily.ts'

/**
 * Control characters except white space, lone surrogates, and invisible characters: bidi marks, tags, fillers, BOM, and
 * those that mark annotations and objects.
 */
const UNSEEN =
  /(?![\t\n\v\f\r]|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffc]/gu

/** A style that no emoji has. It is invisible, and would hide words from reviewers and search. */
const STYLES = /(?<!\p{Extended_Pictographic}|[#*\d](?=\ufe0f\u20e3))[\ufe0e\ufe0f]/gu

/** Scripts whose letters never join, and marks of several scripts (Zinh). */
const UNJOINED = ['Latn', 'Grek', 'Cyrl', 'Armn', 'Geor', 'Hebr', 'Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Zinh']
const UNJOINED_LETTER = UNJOINED.map(script => String.raw`\p{scx=${script}}`).join('')

/** One joiner matters inside words of some scripts and inside emoji. These are repeated, or elsewhere. */
const JOINERS = new RegExp(
  String.raw`(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier}|(?![${UNJOINED_LETTER}])[\p{L}\p{M}])[\u200c\u200d]`,
  'gu',
)

/**
 * More marks than any script puts on one letter: Burmese and pointed Hebrew reach five. Higher piles (Unicode's
 * stream-safe text would allow thirty) cover the lines above and below. A joiner in between does not start a new
 * letter.
 */
const PILED_MARKS = /((?:\p{M}[\u200c\u200d]*){5})(?:\p{M}[\u200c\u200d]*)+/gu

/** Shows that the text was cut. */
const CUT_SIGN = '…'

/** How far back a cut looks for the end of a word, in UTF-16 units. */
const WORD_SEARCH_LENGTH = 30

/**
 * Makes strangers' text safe to show and store: NFC, without control, bidi and invisible characters, white space
 * folded, at most `maxLength` UTF-16 units. Cuts longer text after a word, or between visible characters in scripts
 * without spaces, and ends it with “…”.
 */
export function plainText(raw: string, maxLength: number): string {
  const text = raw
    .slice(0, maxLength * 4) // enough to fill the length, and a bound on the work
    .replace(UNSEEN, '')
    .replace(STYLES, '')
    .replace(JOINERS, '')
    .replace(PILED_MARKS, '$1') // composing takes the square of a pile's height
    .normalize('NFC')
    .replace(PILED_MARKS, '$1') // of letters that NFC takes apart
    .replace(/[\s\u2800]+/g, ' ') // and the blank of Braille
    .trim()
  return text.length > maxLength ? cut(text, maxLength - CUT_SIGN.length) : text
}

function cut(text: string, maxLength: number): string {
  const end = visibleEnd(text, maxLength)
  const wordEnd = text.lastIndexOf(' ', end)
  const isNear = wordEnd > 0 && end - wordEnd <= WORD_SEARCH_LENGTH
  return text.slice(0, isNear ? wordEnd : end).trimEnd() + CUT_SIGN
}

const graphemes = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** Where the visible character that crosses `maxLength` begins. */
function visibleEnd(text: string, maxLength: number): number {
  const crossing = graphemes().segment(text).containing(maxLength)
  if (crossing !== undefined && crossing.index > 0) return crossing.index
  // A single visible character that fills everything is not a real text: cut at a code point.
  return maxLength - (/[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) ? 1 : 0)
}

/**
 * Returns whether a part of an address is a UUID as this service writes it. Check before querying: PostgreSQL rejects a
 * NUL in any text.
 */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** Returns text as HTML or XML, in elements and attributes. */
export const escaped = (text: string): string => text.replace(/[<>&"']/g, character => ENTITIES[character] ?? '')

const ENTITIES: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&#39;' }

/** Returns a count as text: 1 listing, 2,000 listings. @param what in the singular */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

/** Returns the message of an error. If closing something then failed too, both errors are inside one that names neither. */
export const messageOf = (error: unknown): string =>
  error instanceof SuppressedError
    ? `${messageOf(error.suppressed)}; then it failed to close: ${messageOf(error.error)}`
    : (error as Error).message

const dayFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))
const clockFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' }))

/** Returns a UTC day as text, such as 6 September 2026. */
export const dayText = (at: number): string => dayFormat().format(at)

/** Returns a UTC time of day, such as 09:12. */
export const clockText = (at: number): string => clockFormat().format(at)

const dollarFormat = lazily(() => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }))

/** Cents as dollars: $12.50. */
export const dollars = (cents: number): string => dollarFormat().format(cents / 100)
