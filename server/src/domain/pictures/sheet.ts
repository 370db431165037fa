import sharp, { type OutputInfo, type OverlayOptions, type Sharp } from 'sharp'
import type { Width } from './posters/wood-type.ts'

/** Pango's names for our two styles: for names, and for everything small. */
const STYLES = { shout: 'Extra-Condensed Ultra-Bold', speak: 'Semi-Condensed Semi-Bold' } as const
/** Han characters look different in each of these scripts; fonts.conf gives the fallbacks for the rest. */
const HAN_FORMS: Readonly<Record<string, string>> = { Jpan: 'JP', Kore: 'KR', Hant: 'TC' }
const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}]/u
/** Archivo has these. All other letters come from Noto, which needs more space between lines. */
const FROM_ARCHIVO = /^[\p{sc=Latn}\p{sc=Zyyy}]*$/u
/** A word this long may be broken, instead of making all letters small. */
const LONG_WORD = /[^\s\u200b]{24}/u

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
 * Capitals and figures are drawn a little larger than their room, and then scaled to it. Pango sorts all fonts for each
 * new size of letters, which takes longer than drawing them, so there are few sizes.
 */
const WOOD_SIZE_PER_HEIGHT = 1.5
const WOOD_SIZE_STEP = 40
const WOOD_SIZE_MAX = 400
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 }

/** A part of a sheet, in pixels. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** Returns what a margin leaves of a room. */
export const within = ({ left, top, width, height }: Area, margin: number): Area => ({
  left: left + margin,
  top: top + margin,
  width: width - 2 * margin,
  height: height - 2 * margin,
})

/** What it is printed on, and with what. */
export interface Print {
  paper: string
  ink: string
}

/** Only No. 1 is printed in these colours. */
export const FIRST: Print = { paper: '#f2b705', ink: '#16181a' }

interface Setting {
  /** Other than that of the sheet. */
  ink?: string
  style: keyof typeof STYLES
  /** Language of the words, as the page declared it; it may not be a language. */
  language?: string
  /** Largest letter size in pixels; by default, as large as fits. */
  size?: number
  /** Where lines may break; by default, after words and within very long ones. */
  wrap?: 'none'
  /** Aligns the words to the right. */
  toTheRight?: boolean
  /** Centres them vertically. By default, they are at the top. */
  inTheMiddle?: boolean
}

interface Wood {
  stretch: Width
  ink?: string
  /** Puts the letters in the middle of the room. */
  isCentred?: boolean
  /** Stretches them to fill the room, if they nearly do. */
  isFull?: boolean
}

/** A sheet of paper with everything printed on it. */
export class Sheet {
  readonly #print: Print
  readonly #layers: OverlayOptions[] = []

  constructor(print: Print) {
    this.#print = print
  }

  /**
   * Sets words in lines at the top of a room, aligned to the side where their script begins.
   *
   * @returns the size they use, in pixels
   */
  async set(
    markup: string,
    room: Area,
    { style, ink = this.#print.ink, language = '', size, wrap, toTheRight, inTheMiddle }: Setting,
  ): Promise<{ width: number; height: number }> {
    const { left, top, width, height } = room
    // Large letters need less space between lines than their font requests.
    const leading = style === 'shout' ? ` line_height="${FROM_ARCHIVO.test(markup) ? 0.9 : 0.84}"` : ''
    const { data, info } = await sharp({
      text: {
        text: `<span foreground="${ink}"${leading}>${spaced(markup)}</span>`,
        font: `Archivo SemiBold,Noto Sans,Noto Sans ${hanFormsOf(markup, language)} Thin, ${STYLES[style]} ${size ?? ''}`,
        rgba: true,
        wrap: wrap ?? (LONG_WORD.test(markup) ? 'word-char' : 'word'),
        width,
        ...(size === undefined && { height }),
      },
    })
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const indent = (toTheRight ?? RIGHT_TO_LEFT.test(markup)) ? width - info.width : 0
    const drop = inTheMiddle ? Math.round((height - info.height) / 2) : 0
    this.#add(data, info, left + indent, top + drop)
    return info
  }

  /**
   * Sets letters like wood type: without margins, as wide as the room unless they would be higher than it.
   *
   * @returns the size they use, in pixels
   */
  async setWood(
    markup: string,
    { left, top, width, height }: Area,
    { stretch, ink = this.#print.ink, isCentred, isFull }: Wood,
  ): Promise<{ width: number; height: number }> {
    const text = `<span foreground="${ink}" weight="850" font_stretch="${STRETCHES[stretch]}">${markup}</span>`
    const steps = Math.ceil((WOOD_SIZE_PER_HEIGHT * height) / WOOD_SIZE_STEP)
    const size = Math.min(WOOD_SIZE_MAX, WOOD_SIZE_STEP * steps)
    const { data, info } = await sharp({ text: { text, font: `Archivo SemiBold ${size}`, rgba: true, wrap: 'none' } })
      // The background is named, because a letter may fill the corner that it is otherwise read from. Letters need no
      // filter of noise.
      .trim({ background: CLEAR, lineArt: true })
      .resize({ width, height, fit: isFull ? 'fill' : 'inside' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const [indent, drop] = isCentred ? [(width - info.width) / 2, (height - info.height) / 2] : [0, 0]
    this.#add(data, info, left + Math.round(indent), top + Math.round(drop))
    return info
  }

  #add(input: Buffer, { width, height, channels }: OutputInfo, left: number, top: number): void {
    this.#layers.push({ input, raw: { width, height, channels }, left, top })
  }

  /** Fills a room with ink, or another colour. */
  fill({ left, top, width, height }: Area, colour = this.#print.ink): void {
    const input = { create: { width, height, channels: 3, background: colour } } as const
    this.#layers.push({ input, left, top })
  }

  async place(picture: Uint8Array, { left, top, width, height }: Area): Promise<void> {
    this.#layers.push({ input: await sharp(picture).resize(width, height).toBuffer(), left, top })
  }

  /** The finished sheet, ready to encode. */
  print(width: number, height: number): Sharp {
    return sharp({ create: { width, height, channels: 3, background: this.#print.paper } }).composite(this.#layers)
  }
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
