import sharp, { type OverlayOptions, type Sharp } from 'sharp'
import type { Stock } from '../art/stock.ts'

/** As Pango names them: for names, and for all that is small. */
const STYLES = { shout: 'Extra-Condensed Ultra-Bold', speak: 'Semi-Condensed Semi-Bold' } as const
/** Han characters have other forms in each script; the fonts for the others follow in fonts.conf. */
const HAN_FORMS: Readonly<Record<string, string>> = { Jpan: 'JP', Kore: 'KR', Hant: 'TC' }
const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}]/u
/** A longer word may be broken rather than make all letters small. */
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
  /** Of the words, as the page declared it; may be no language at all. */
  language?: string
  /** Of the letters, in pixels, where there is room; without it they are as large as there is room for. */
  size?: number
  /** Where lines may end; unless told, after words, and within very long ones. */
  wrap?: 'none'
  /** Whether the words end at the right side of the room, wherever they begin. */
  toTheRight?: boolean
}

/** A sheet of paper, and what is printed on it. */
export class Sheet {
  readonly #stock: Pick<Stock, 'paper' | 'ink'>
  readonly #layers: OverlayOptions[] = []

  constructor(stock: Pick<Stock, 'paper' | 'ink'>) {
    this.#stock = stock
  }

  /** Sets words, whole and in lines, from the top of a room and from the side where they begin. */
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

  /** The sheet with all that was set and placed on it, ready to be encoded. */
  print(width: number, height: number): Sharp {
    return sharp({ create: { width, height, channels: 3, background: this.#stock.paper } }).composite(
      this.#layers,
    )
  }
}

/** Whose forms of Han characters: the letters beside them say it, or else the language. */
function hanFormsOf(markup: string, language: string): string {
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(markup)) return 'JP'
  if (/\p{sc=Hang}/u.test(markup)) return 'KR'
  try {
    return HAN_FORMS[new Intl.Locale(language).maximize().script ?? ''] ?? 'SC'
  } catch {
    return 'SC'
  }
}
