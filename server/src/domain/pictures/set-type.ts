import sharp, { type CreateText, type Sharp } from 'sharp'
import type { Width } from './posters/wood-type.ts'

/** Pango's names for our two styles: for names, and for everything small. */
const STYLES = { shout: 'Extra-Condensed Ultra-Bold', speak: 'Semi-Condensed Semi-Bold' } as const
/** Han characters look different in each of these scripts; fonts.conf gives the fallbacks for the rest. */
const HAN_FORMS: Readonly<Record<string, string>> = { Jpan: 'JP', Kore: 'KR', Hant: 'TC' }
/** Archivo has these. All other letters come from Noto, which needs more space between lines. */
const FROM_ARCHIVO = /^[\p{sc=Latn}\p{sc=Zyyy}]*$/u
/** A word this long may be broken, instead of making all letters small. */
const LONG_WORD = /(?:&#\d\d;|[^\s\u200b&]){24}/u

/** Pango's names for the widths of our font. */
const STRETCHES: Record<Width, string> = {
  62: 'extracondensed',
  75: 'condensed',
  88: 'semicondensed',
  100: 'normal',
  112: 'semiexpanded',
  125: 'expanded',
}
/**
 * Letters are drawn a little larger than needed, and then scaled. For each new size of letters, Pango sorts all fonts,
 * which takes longer than drawing them, so there are few sizes. libvips could find the size that fits, but it would try
 * many.
 */
const SIZE_STEP = 40
const SIZE_MAX = 400
/** Capitals and figures fill less than their size, so they may be this much larger than their room. */
const SIZE_PER_HEIGHT = 1.5
/** The size of letters in which line breaks are tried, and how often: each halves the range of widths. */
const TRIAL_SIZE = 80
const TRIALS = 9
/** Pixels. Longer lines are too much for the library that draws them. */
const LINE_MAX = 16_000

interface Size {
  width: number
  height: number
}

export interface Wood {
  stretch: Width
  /** Stretches the letters to fill the room, if they nearly do. */
  isFull?: boolean
}

/** What letters cover: a byte for each pixel, from 0 for nothing to 255. */
export interface Letters extends Size {
  mask: Buffer
}

export interface Setting {
  style: keyof typeof STYLES
  /** Language of the words, as the page declared it; it may not be a language. */
  language?: string
  /** Largest letter size in pixels; by default, as large as fits. */
  size?: number
  /** Where lines may break, if there is a size; by default, after words and within very long ones. */
  wrap?: 'none'
}

/** Sets words in lines that fit into a room. */
export async function setLines(
  markup: string,
  room: Size,
  { style, language = '', size, wrap }: Setting,
): Promise<Letters> {
  // Large letters need less space between lines than their font requests.
  const leading = style === 'shout' ? ` line_height="${FROM_ARCHIVO.test(markup) ? 0.9 : 0.84}"` : ''
  const text: CreateText = {
    text: `<span${leading}>${spaced(markup)}</span>`,
    font: `Archivo SemiBold,Noto Sans,Noto Sans ${hanFormsOf(markup, language)} Thin, ${STYLES[style]}`,
    wrap: wrap ?? (LONG_WORD.test(markup) ? 'word-char' : 'word'),
  }
  const drawn = size === undefined ? undefined : inSize(text, size, room.width)
  const isTooHigh = drawn && wrap !== 'none' && (await drawn.metadata()).height > room.height
  if (!drawn || isTooHigh) return maskOf((await inLargest(text, room)).resize({ ...room, fit: 'inside' }))
  return maskOf(drawn.resize({ ...room, fit: 'inside', withoutEnlargement: true }))
}

/** Sets letters like wood type: without margins, as wide as the room unless they would be higher than it. */
export function setWoodType(markup: string, room: Size, { stretch, isFull }: Wood): Promise<Letters> {
  const text = `<span weight="850" font_stretch="${STRETCHES[stretch]}">${markup}</span>`
  const drawn = inSize({ text, font: 'Archivo SemiBold', wrap: 'none' }, stepFrom(SIZE_PER_HEIGHT * room.height))
  // The background is named, because a letter may fill the corner that it is otherwise read from. Letters need no
  // filter of noise.
  return maskOf(drawn.trim({ background: '#000', lineArt: true }).resize({ ...room, fit: isFull ? 'fill' : 'inside' }))
}

/**
 * Finds the lines in which letters are largest once they fill the room. Narrow lines are many, which is too high; with
 * wide lines, the words are too wide.
 */
async function inLargest(text: CreateText, room: Size): Promise<Sharp> {
  const whole = await inSize(text, TRIAL_SIZE, LINE_MAX).metadata()
  const scaleOf = ({ width, height }: Size) => Math.min(room.width / width, room.height / height)
  let best: { scale: number; lines?: number } = { scale: scaleOf(whole) }
  let [low, high] = [TRIAL_SIZE, whole.width]
  for (let trial = 0; trial < TRIALS; trial++) {
    const lines = Math.round(Math.sqrt(low * high))
    const tried = await inSize(text, TRIAL_SIZE, lines).metadata()
    const scale = scaleOf(tried)
    if (scale > best.scale) best = { scale, lines }
    if (scale < room.height / tried.height) high = lines
    else low = lines
  }
  const size = stepFrom(best.scale * TRIAL_SIZE)
  // In another size, the same words can be wider by a rounded pixel for each letter.
  return inSize(text, size, best.lines && Math.ceil((1.01 * best.lines * size) / TRIAL_SIZE))
}

const stepFrom = (size: number) => Math.min(SIZE_MAX, SIZE_STEP * Math.ceil(size / SIZE_STEP))

/** @param width of its lines, in pixels; by default, the text is one line */
const inSize = (text: CreateText, size: number, width?: number): Sharp =>
  sharp({ text: { ...text, font: `${text.font} ${size}`, ...(width && { width }) } }).toColourspace('b-w')

async function maskOf(drawn: Sharp): Promise<Letters> {
  const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true })
  return { mask: data, width: info.width, height: info.height }
}

const TAG = /(<[^<>]*>)/
const WIDE_SPACE = '<span font_stretch="normal"> </span>'

/**
 * Widens the spaces between words. In the condensed type, a space is a ninth of its height, and the font kerns an r or
 * a k before it, so two words would look like one.
 */
const spaced = (markup: string): string =>
  markup
    .split(TAG)
    .map(part => (part.startsWith('<') ? part : part.replaceAll(' ', WIDE_SPACE)))
    .join('')

/** Returns which forms of Han characters to use: those of the surrounding letters, or else of the language. */
function hanFormsOf(markup: string, language: string): string {
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(markup)) return 'JP'
  if (/\p{sc=Hang}/u.test(markup)) return 'KR'
  try {
    return HAN_FORMS[new Intl.Locale(language).maximize().script ?? ''] ?? 'SC'
  } catch {
    return 'SC'
  }
}
