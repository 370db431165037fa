import sharp from 'sharp'
import type { Website } from './listings.ts'
import { type Random, randomFrom } from './random.ts'

/** Draws a website's preview image from a few shapes, always the same for a host. @returns a PNG */
export function draw({ host, kind }: Website): Promise<Buffer> {
  const random = randomFrom(host)
  const [width, height] = SIZES[kind]
  const palette = random.shuffled(random.pick(PALETTES))
  const shapes = SCENES[kind](width, height, palette, random)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`
  // We never read strangers' pictures as SVG. This one is ours, and this process decodes no others.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
  return sharp(Buffer.from(svg)).png({ compressionLevel: 0 }).toBuffer()
}

type Kind = Website['kind']
type Palette = readonly string[]
type Scene = (width: number, height: number, palette: Palette, random: Random) => string

const SIZES: Record<Kind, [width: number, height: number]> = {
  photo: [640, 360],
  shot: [640, 360],
  logo: [640, 360],
  none: [640, 360],
  square: [480, 480],
  wide: [900, 300],
}

const PALETTES: readonly Palette[] = [
  ['#264653', '#2a9d8f', '#e9c46a', '#f4a261', '#e76f51'],
  ['#003049', '#d62828', '#f77f00', '#fcbf49', '#eae2b7'],
  ['#22223b', '#4a4e69', '#9a8c98', '#c9ada7', '#f2e9e4'],
  ['#386641', '#6a994e', '#a7c957', '#f2e8cf', '#bc4749'],
  ['#0b3954', '#087e8b', '#bfd7ea', '#ff5a5f', '#c81d25'],
  ['#2d3142', '#4f5d75', '#bfc0c0', '#ef8354', '#f7e1d7'],
  ['#5f0f40', '#9a031e', '#fb8b24', '#e36414', '#0f4c5c'],
]

const SCENES: Record<Kind, Scene> = {
  photo: landscape,
  wide: landscape,
  shot: screenshot,
  logo: mark,
  square: mark,
  none: () => '',
}

const rect = (x: number, y: number, width: number, height: number, fill: string, rx = 0) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" rx="${rx}"/>`
const circle = (x: number, y: number, radius: number, fill: string) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** A sky, a sun or moon, and rows of hills. */
function landscape(width: number, height: number, palette: Palette, random: Random): string {
  const [sky = '', glow = '', light = '', ...hills] = palette
  const horizon = height * random.between(0.35, 0.6)
  const ridge = (nth: number) => {
    const base = horizon + nth * height * 0.16
    const points = times(9, at => {
      const y = base - random.between(0, height * 0.18)
      return `${((at / 8) * width).toFixed()},${y.toFixed()}`
    })
    return `<polygon points="0,${height} ${points.join(' ')} ${width},${height}" fill="${hills[nth % hills.length]}"/>`
  }
  return `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky}"/><stop offset="1" stop-color="${glow}"/></linearGradient></defs>
    ${rect(0, 0, width, height, 'url(#sky)')}
    ${circle(width * random.between(0.15, 0.85), horizon - height * random.between(0, 0.2), height * random.between(0.08, 0.2), light)}
    ${times(3 + Math.floor(random.next() * 2), ridge).join('')}`
}

/** A window with a side bar, lines of text, and a chart. */
function screenshot(width: number, height: number, palette: Palette, random: Random): string {
  const [bar = '', accent = '', side = '', chart = ''] = palette
  const lines = times(6, at =>
    rect(190, 70 + at * 20, random.between(120, width - 230), 8, at === 0 ? bar : '#c8ccd2', 4),
  )
  const columns = times(14, at => {
    const tall = random.between(12, 110)
    return rect(190 + at * 30, height - 30 - tall, 20, tall, random.next() < 0.2 ? accent : chart)
  })
  const entries = times(7, at => rect(20, 70 + at * 34, random.between(50, 110), 12, '#fff8', 6))
  return `${rect(0, 0, width, height, '#fafafa')}${rect(0, 0, 160, height, side)}${rect(0, 0, width, 40, bar)}
    ${times(3, at => circle(22 + at * 22, 20, 7, '#fff9')).join('')}${entries.join('')}${lines.join('')}${columns.join('')}`
}

/** Quarter circles, discs and bars on a grid: a mark on a plain ground. */
function mark(width: number, height: number, palette: Palette, random: Random): string {
  const [ground = '', ...inks] = palette
  const cells = 2 + Math.floor(random.next() * 2)
  const size = (Math.min(width, height) * 0.62) / cells
  const [left, top] = [(width - cells * size) / 2, (height - cells * size) / 2]
  const shapes = times(cells * cells, at => {
    const [x, y] = [left + (at % cells) * size, top + Math.floor(at / cells) * size]
    const ink = random.pick(inks)
    return random.pick([
      circle(x + size / 2, y + size / 2, size / 2, ink),
      rect(x, y, size, size, ink),
      rect(x, y, size, size / 2, ink),
      `<path d="M${x} ${y}a${size} ${size} 0 0 1 ${size} ${size}h-${size}z" fill="${ink}"/>`,
      `<path d="M${x + size} ${y}a${size} ${size} 0 0 1 -${size} ${size}v-${size}z" fill="${ink}"/>`,
    ])
  })
  return rect(0, 0, width, height, ground) + shapes.join('')
}
