import sharp, { type Sharp } from 'sharp'
import { type Setting, setLines, setWoodType, type Wood } from './set-type.ts'

const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}]/u

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

interface Lines extends Setting {
  /** Other than that of the sheet. */
  ink?: string
  /** Aligns the words to the right. */
  toTheRight?: boolean
  /** Centres them vertically. By default, they are at the top. */
  inTheMiddle?: boolean
}

interface WoodLine extends Wood {
  ink?: string
  /** Puts the letters in the middle of the room. */
  isCentred?: boolean
}

/** Ink as far as a mask lets it through, or everywhere; or the pixels of a picture, in RGB. */
type Layer = Area & ({ ink: string; mask?: Buffer } | { pixels: Buffer })

/** A sheet of paper with everything printed on it. */
export class Sheet {
  readonly #print: Print
  readonly #layers: Layer[] = []

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
    { left, top, width, height }: Area,
    { ink = this.#print.ink, toTheRight, inTheMiddle, ...setting }: Lines,
  ): Promise<{ width: number; height: number }> {
    const letters = await setLines(markup, { width, height }, setting)
    const indent = (toTheRight ?? RIGHT_TO_LEFT.test(markup)) ? width - letters.width : 0
    const drop = inTheMiddle ? Math.round((height - letters.height) / 2) : 0
    this.#layers.push({ ink, ...letters, left: left + indent, top: top + drop })
    return letters
  }

  /**
   * Sets letters like wood type: without margins, as wide as the room unless they would be higher than it.
   *
   * @returns the size they use, in pixels
   */
  async setWood(
    markup: string,
    { left, top, width, height }: Area,
    { ink = this.#print.ink, isCentred, ...wood }: WoodLine,
  ): Promise<{ width: number; height: number }> {
    const letters = await setWoodType(markup, { width, height }, wood)
    const [indent, drop] = isCentred ? [(width - letters.width) / 2, (height - letters.height) / 2] : [0, 0]
    this.#layers.push({ ink, ...letters, left: left + Math.round(indent), top: top + Math.round(drop) })
    return letters
  }

  /** Fills a room with ink, or another colour. */
  fill(room: Area, ink = this.#print.ink): void {
    this.#layers.push({ ...room, ink })
  }

  async place(picture: Uint8Array, room: Area): Promise<void> {
    const { width, height } = room
    const opaque = sharp(picture).resize(width, height).flatten().toColourspace('srgb')
    this.#layers.push({ ...room, pixels: await opaque.raw().toBuffer() })
  }

  /** The finished sheet, ready to encode. Sharp's `composite` would take six times as long. */
  print(width: number, height: number): Sharp {
    const sheet = Buffer.alloc(3 * width * height, rgbOf(this.#print.paper))
    for (const layer of this.#layers) print(layer, sheet, width)
    return sharp(sheet, { raw: { width, height, channels: 3 } })
  }
}

/** Prints a layer, which is within the sheet, on its RGB pixels. */
function print(layer: Layer, sheet: Buffer, sheetWidth: number): void {
  const { left, top, width, height } = layer
  const toOf = (y: number) => 3 * ((top + y) * sheetWidth + left)
  if ('pixels' in layer) {
    for (let y = 0; y < height; y++) layer.pixels.copy(sheet, toOf(y), 3 * y * width, 3 * (y + 1) * width)
    return
  }
  const [ink, { mask }] = [rgbOf(layer.ink), layer]
  for (let y = 0; y < height; y++) {
    for (let x = 0, to = toOf(y); x < width; x++, to += 3) {
      const covered = mask ? (mask[y * width + x] ?? 0) : 255
      if (covered === 0) continue
      for (let channel = 0; channel < 3; channel++) {
        const under = sheet[to + channel] ?? 0
        sheet[to + channel] = Math.round(under + (((ink[channel] ?? 0) - under) * covered) / 255)
      }
    }
  }
}

const rgbOf = (colour: string) => Buffer.from(colour.slice(1), 'hex')
