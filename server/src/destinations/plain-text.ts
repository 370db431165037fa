/** Control characters but for white space, lone surrogates, and what cannot be seen: bidi marks, tags, fillers, BOM. */
const UNSEEN = /[[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]--[\t\n\v\f\r\u200c\u200d\ufe0e\ufe0f]]/gv

/** Joiners matter inside words of some scripts and inside emoji, and nowhere else. */
const IDLE_JOINERS = /(?<![\p{L}\p{M}\p{Extended_Pictographic}])[\u200c\u200d]+/gu

/** More marks than any script puts on one letter; they would cover the lines above and below. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu

/**
 * Text of strangers as it may be shown and stored: NFC, without control, bidi and invisible characters, white space
 * folded, at most `maxLength` UTF-16 units and never cut inside a visible character.
 */
export function plainText(raw: string, maxLength: number): string {
  const text = raw
    .slice(0, maxLength * 4) // enough to fill the length, and a bound on the work
    .replace(UNSEEN, '')
    .replace(IDLE_JOINERS, '')
    .replace(PILED_MARKS, '$1')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > maxLength ? text.slice(0, cutIndex(text, maxLength)).trimEnd() : text
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Where the visible character that crosses `maxLength` begins. */
function cutIndex(text: string, maxLength: number): number {
  const crossing = graphemes.segment(text).containing(maxLength)
  if (crossing !== undefined && crossing.index > 0) return crossing.index
  // One visible character that fills everything is no honest text: cut at a code point.
  return maxLength - (/[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) ? 1 : 0)
}
