import { readFileSync } from 'node:fs'
import { packageFile } from '../../platform/lib/package.ts'
import { escapeText, round } from './posters/line.ts'

/** Two cuts of our font: narrow and heavy for a rank, wider and lighter for words. */
type Cut = 'wood' | 'text'

/** The width and the outline of each printable character of ASCII, in thousandths of the letter size. */
type Letters = Readonly<Record<string, readonly [width: number, path: string]>>

const CUTS = JSON.parse(readFileSync(packageFile('fonts/built/letters.json'), 'utf8')) as Record<Cut, Letters>

interface Outlined {
  /** In pixels. */
  width: number
  /** Draws the words on a line that begins at `x` and `y`, in pixels. */
  at: (x: number, y: number, fill: string) => string
}

/** In a font whose width is unknown: the widest that a character may be, as a share of the letter size. */
const OTHER_WIDTH = 1

/**
 * Sets words as outlines, because an SVG in an `img` can use no font of a page. Words with other letters are set in the
 * reader's font, squeezed into room for the widest letters.
 *
 * @param size of the letters, in pixels
 */
export function outlined(words: string, cut: Cut, size: number): Outlined {
  const characters = [...words]
  const letters = characters.map(character => CUTS[cut][character])
  if (letters.some(letter => letter === undefined))
    return inAnyFont(words, characters.length * size * OTHER_WIDTH, size)
  let taken = 0
  let paths = ''
  for (const [width, path] of letters.filter(letter => letter !== undefined)) {
    if (path !== '') paths += `<path transform="translate(${taken})" d="${path}"/>`
    taken += width
  }
  const scale = size / 1000
  return {
    width: Math.ceil(taken * scale),
    at: (x, y, fill) => `<g fill="${fill}" transform="translate(${x} ${y}) scale(${scale} -${scale})">${paths}</g>`,
  }
}

const inAnyFont = (words: string, width: number, size: number): Outlined => ({
  width: Math.round(width),
  at: (x, y, fill) =>
    `<text x="${x}" y="${y}" font-family="Arial, Helvetica, sans-serif" font-size="${size}" font-weight="700"` +
    ` fill="${fill}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escapeText(words)}</text>`,
})
