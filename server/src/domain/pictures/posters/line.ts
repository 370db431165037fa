import { accentsOf, CAP_HEIGHT, WIDTHS, type Width, widthOf } from './wood-type.ts'

/** A line of capitals, fitted. Heights in the units of the drawing. */
export interface Line {
  text: string
  width: Width
  size: number
  /** From the line to the top of the letters, with accents. */
  above: number
  /** From the line to the bottom of the letters. */
  below: number
  /** Whether it reached the width; otherwise it reached the height. */
  isFull: boolean
}

/** Both together. */
const heightOf = ({ above, below }: Pick<Line, 'above' | 'below'>): number => above + below

/** Sets a text as wide as `maxWidth`, in the narrowest type that stays within `maxHeight`. */
export function fitLine(text: string, maxWidth: number, maxHeight: number): Line {
  for (const width of WIDTHS) {
    const line = lineAs(text, width, maxWidth / widthOf(text, width))
    if (heightOf(line) <= maxHeight) return line
  }
  const widest = lineAs(text, 125, 1)
  return { ...lineAs(text, 125, maxHeight / heightOf(widest)), isFull: false }
}

/** Sets a text in the narrowest type, as wide as `maxWidth`, however high it gets. */
export const narrowestLine = (text: string, maxWidth: number): Line => lineAs(text, 62, maxWidth / widthOf(text, 62))

function lineAs(text: string, width: Width, size: number): Line {
  const { above, below } = accentsOf(text)
  return { text, width, size, above: size * (CAP_HEIGHT + above), below: size * below, isFull: true }
}

interface Placing {
  x: number
  /** The baseline of the letters. */
  y: number
  /** In a full line: the exact width to stretch the text to. */
  length?: number
  /** Whether `x` is the middle of the text. */
  isCentred?: boolean
  /** Whether to print it in the paper's colour, on top of something. */
  isSpared?: boolean
}

export function lineSvg(line: Line, { x, y, length, isCentred, isSpared }: Placing): string {
  const stretched = line.isFull && length ? ` textLength="${round(length)}" lengthAdjust="spacingAndGlyphs"` : ''
  return (
    `<text x="${round(x)}" y="${round(y)}" class="x${line.width}${isSpared ? ' spared' : ''}"` +
    ` font-size="${round(line.size)}"${stretched}${isCentred ? ' text-anchor="middle"' : ''}>` +
    `${escapeText(line.text)}</text>`
  )
}

/** Lines below each other, starting at `top`. */
export function linesSvg(lines: readonly Line[], { x, top, length, gap }: LinesPlacing): string {
  let y = top
  return lines
    .map(line => {
      const svg = lineSvg(line, { x, y: y + line.above, length })
      y += heightOf(line) + gap
      return svg
    })
    .join('')
}

interface LinesPlacing {
  x: number
  top: number
  length: number
  gap: number
}

/** The height of lines together, without the gaps. */
export const heightOfAll = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + heightOf(line), 0)

/** A tenth of a unit is less than a pixel. */
export const round = (value: number): number => Math.round(value * 10) / 10

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Text escaped for SVG. */
export const escapeText = (text: string): string => text.replace(/[&<>]/g, sign => ESCAPES[sign] ?? '')
