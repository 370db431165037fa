import { ALIKE, LETTERS } from './letters.ts'

/** Of a letter, in its own units. */
export const LETTER_HEIGHT = 6
/** Between two letters. */
const GAP = 1.7

/** A text as it is drawn: capitals without marks; undefined where a sign of it cannot be. */
export function drawable(text: string): string | undefined {
  const plain = [...text.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '')]
    .map(sign => ALIKE[sign] ?? sign)
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  return plain !== '' && [...plain].every(sign => Object.hasOwn(LETTERS, sign)) ? plain : undefined
}

/** Width of a drawable text in units. */
export function widthOf(text: string): number {
  let width = 0
  for (const sign of text) width += (LETTERS[sign]?.[0] ?? 0) + GAP
  return Math.max(0, width - GAP)
}

export interface Lettering {
  x: number
  /** Of the upper edge. */
  y: number
  /** Height of the letters, in the units of the drawing. */
  size: number
  colour: string
  /** Thickness of the strokes, in letter units. */
  weight?: number
  /** What `x` is of the text. */
  anchor?: 'start' | 'middle'
}

/** Draws a drawable text as an SVG element of nothing but numbers and path commands. */
export function lettering(
  text: string,
  { x, y, size, colour, weight = 0.75, anchor = 'start' }: Lettering,
): string {
  const scale = size / LETTER_HEIGHT
  const left = anchor === 'middle' ? x - (widthOf(text) * scale) / 2 : x
  let at = 0
  const letters = [...text].map(sign => {
    const [width, path] = LETTERS[sign] ?? [0, '']
    const letter = path && `<path transform="translate(${rounded(at)})" d="${path}"/>`
    at += width + GAP
    return letter
  })
  const place = `translate(${rounded(left)} ${rounded(y)}) scale(${rounded(scale)})`
  return `<g transform="${place}" fill="none" stroke="${colour}" stroke-width="${weight}" stroke-linecap="round" stroke-linejoin="round">${letters.join('')}</g>`
}

const rounded = (value: number) => Math.round(value * 1000) / 1000

/** The end of a drawable text that letters of this size find room for in a width, with dots where it is cut. */
export function clipStart(text: string, size: number, width: number): string {
  if (fits(text, size, width)) return text
  let start = Math.max(1, text.length - 200)
  while (start < text.length && !fits(`...${text.slice(start)}`, size, width)) start++
  return `...${text.slice(start)}`
}

/** Whether letters of this size find room in a width. */
export const fits = (text: string, size: number, width: number): boolean =>
  (widthOf(text) * size) / LETTER_HEIGHT <= width
