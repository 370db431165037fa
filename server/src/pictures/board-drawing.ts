import { pinOf } from './pin.ts'

/** As in the style sheet, by the class of the pin. */
const PIN_COLOURS: Readonly<Record<string, string>> = {
  'pin-0': '#b8402f',
  'pin-1': '#d19a2a',
  'pin-2': '#2f6fa8',
  'pin-3': '#4f8a4b',
  'pin-4': '#7d5a9e',
  'pin-5': '#c9c4b2',
}

export const COLOURS = {
  felt: '#35564a',
  feltDot: '#2f4e43',
  onFelt: '#f4f1e4',
  oak: '#a67c4b',
  paper: '#fffdf6',
  ink: '#23271f',
  muted: '#5a5f53',
  line: '#d8d3c3',
} as const

export const pinColourOf = (category: string): string => PIN_COLOURS[pinOf(category)] ?? COLOURS.ink

export const svg = (width: number, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`

export const felt = (width: number, height: number): string =>
  `<defs><pattern id="dots" width="14" height="14" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1.6" fill="${COLOURS.feltDot}"/><circle cx="10" cy="10" r="1.6" fill="${COLOURS.feltDot}"/></pattern></defs>` +
  `<path d="M0 0h${width}v${height}H0z" fill="${COLOURS.felt}"/><path d="M0 0h${width}v${height}H0z" fill="url(#dots)"/>`

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** A sheet of paper on the board, slightly turned, held by a pin. */
export function pinned(
  { x, y, width, height }: Box,
  colour: string,
  degrees: number,
  content: string,
): string {
  const [middle, centre] = [x + width / 2, y + height / 2]
  return (
    `<g transform="rotate(${degrees} ${middle} ${centre})">` +
    `<rect x="${x + 5}" y="${y + 8}" width="${width}" height="${height}" rx="4" fill="#000" fill-opacity=".28"/>` +
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="${COLOURS.paper}"/>${content}` +
    `<circle cx="${middle + 3}" cy="${y + 7}" r="13" fill="#000" fill-opacity=".25"/>` +
    `<circle cx="${middle}" cy="${y + 2}" r="13" fill="${colour}"/>` +
    `<circle cx="${middle - 4}" cy="${y - 2}" r="4" fill="#fff" fill-opacity=".45"/></g>`
  )
}
