import sharp, { type OverlayOptions, type Sharp } from 'sharp'
import type { Stock } from './stock.ts'

/** Pango's names for our two styles: for names, and for everything small. */
const STYLES = { shout: 'Extra-Condensed Ultra-Bold', speak: 'Semi-Condensed Semi-Bold' } as const
/** Han characters look different in each of these scripts; fonts.conf gives the fallbacks for the rest. */
const HAN_FORMS: Readonly<Record<string, string>> = { Jpan: 'JP', Kore: 'KR', Hant: 'TC' }
const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}]/u
/** A word this long may be broken, instead of making all letters small. */
const LONG_WORD = /[^\s\u200b]{24}/u

/** A part of a sheet, in pixels. */
export interface Room {
  left: number
  top: number
  width: number
  height: number
}

interface Setting {
  style: keyof typeof STYLES
  /** Language of the words, as the page declared it; it may not be a language at all. */
  language?: string
  /** Largest letter size in pixels; by default, as large as fits. */
  size?: number
  /** Where lines may break; by default, after words and within very long ones. */
  wrap?: 'none'
  /** Aligns the words to the right. */
  toTheRight?: boolean
}

/** A sheet of paper with everything printed on it. */
export class Sheet {
  readonly #stock: Stock
  readonly #layers: OverlayOptions[] = []

  constructor(stock: Stock) {
    this.#stock = stock
  }

  /** Sets words, uncut and in lines, at the top of a room, from the side where their script begins. */
  async set(
    markup: string,
    room: Room,
    { style, language = '', size, wrap, toTheRight }: Setting,
  ): Promise<void> {
    const { left, top, width, height } = room
    const { data, info } = await sharp({
      text: {
        text: `<span foreground="${this.#stock.ink}">${markup}</span>`,
        font: `Archivo SemiBold,Noto Sans,Noto Sans ${hanFormsOf(markup, language)} Thin, ${STYLES[style]} ${size ?? ''}`,
        rgba: true,
        wrap: wrap ?? (LONG_WORD.test(markup) ? 'word-char' : 'word'),
        width,
        ...(size === undefined && { height }),
      },
    })
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer({ resolveWithObject: true })
    const indent = (toTheRight ?? RIGHT_TO_LEFT.test(markup)) ? width - info.width : 0
    this.#layers.push({ input: data, left: left + indent, top })
  }

  /** Fills a room with ink. */
  rule({ left, top, width, height }: Room): void {
    const input = { create: { width, height, channels: 3, background: this.#stock.ink } } as const
    this.#layers.push({ input, left, top })
  }

  async place(picture: Uint8Array, { left, top, width, height }: Room): Promise<void> {
    this.#layers.push({ input: await sharp(picture).resize(width, height).toBuffer(), left, top })
  }

  /** The finished sheet, ready to encode. */
  print(width: number, height: number): Sharp {
    return sharp({ create: { width, height, channels: 3, background: this.#stock.paper } }).composite(
      this.#layers,
    )
  }
}

/** Which forms of Han characters to use: the letters beside them decide, or else the language. */
function hanFormsOf(markup: string, language: string): string {
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(markup)) return 'JP'
  if (/\p{sc=Hang}/u.test(markup)) return 'KR'
  try {
    return HAN_FORMS[new Intl.Locale(language).maximize().script ?? ''] ?? 'SC'
  } catch {
    return 'SC'
  }
}
