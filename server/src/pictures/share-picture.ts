import { COLOURS, felt, pinColourOf, pinned, svg } from './board-drawing.ts'
import {
  SHARE_HEIGHT as HEIGHT,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  SHARE_WIDTH as WIDTH,
} from './picture-size.ts'
import { hostText, type Placarded, placardCard } from './placard.ts'
import { clipStart, drawable, fits, lettering } from './stroke-letters.ts'

const FRAME = 22
const CARD = { x: 62, y: 96, width: 676, height: 438 }
const PHOTO = { x: CARD.x + 18, y: CARD.y + 39, width: PICTURE_WIDTH, height: PICTURE_HEIGHT }
const WORDS = { x: 782, width: WIDTH - FRAME - 782 - 30 }
const SIZES = [46, 38, 31, 26] as const
/** From one line to the next, in sizes of the letters. */
const LEADING = 1.62
const NAME_MAX_HEIGHT = 305

/**
 * Draws what is shown where a listing is shared: a board with the listing's picture, or its placard, and its name.
 *
 * @param picture the stored picture, where there is one
 * @returns a PNG
 */
export async function drawSharePicture(listing: Placarded, picture: Buffer | null): Promise<Buffer> {
  const colour = pinColourOf(listing.category)
  const card = picture === null ? placardCard(listing, CARD) : pinned(CARD, colour, 0, '')
  const board =
    `<path d="M0 0h${WIDTH}v${HEIGHT}H0z" fill="${COLOURS.oak}"/>` +
    `<svg x="${FRAME}" y="${FRAME}" width="${WIDTH - 2 * FRAME}" height="${HEIGHT - 2 * FRAME}">${felt(WIDTH, HEIGHT)}</svg>`
  const sharp = await loadSharp()
  const drawing = sharp(Buffer.from(svg(WIDTH, HEIGHT, board + card + words(listing))))
  // Only what this service made itself is decoded here.
  const layers = picture === null ? [] : [{ input: picture, left: PHOTO.x, top: PHOTO.y }]
  return drawing
    .composite(layers)
    .png({ compressionLevel: 9, palette: picture === null })
    .toBuffer()
}

/** Only when needed: where the library cannot be loaded, there are no share pictures, and all else works. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/** The name, or the host alone where the name is in another script, and whose board it is. */
function words({ title, hostname }: Placarded): string {
  const host = hostText(hostname)
  const name = drawable(title)
  const { lines, size } = name === undefined ? unbroken(host) : broken(name)
  const top = HEIGHT / 2 - (lines.length * size * LEADING) / 2 - 20
  const heading = lines.map((line, place) =>
    lettering(line, {
      x: WORDS.x,
      y: top + place * size * LEADING,
      size,
      colour: COLOURS.onFelt,
      weight: 0.8,
    }),
  )
  const y = top + lines.length * size * LEADING + 16
  const address =
    name === undefined
      ? ''
      : lettering(clipStart(host, 19, WORDS.width), {
          x: WORDS.x,
          y,
          size: 19,
          colour: '#cfd8c6',
          weight: 0.8,
        })
  const board = lettering('PLACARD', {
    x: WORDS.x,
    y: HEIGHT - 78,
    size: 20,
    colour: '#e3c08d',
    weight: 0.95,
  })
  return heading.join('') + address + board
}

/** A host in one line: parts of it could pass for others. */
function unbroken(host: string): { lines: string[]; size: number } {
  const size = SIZES.find(each => fits(host, each, WORDS.width)) ?? SIZES[3]
  return { lines: [clipStart(host, size, WORDS.width)], size }
}

/** A drawable text in lines, as large as there is room for. */
function broken(text: string): { lines: string[]; size: number } {
  const parts = text.slice(0, 200).split(' ')
  for (const size of SIZES) {
    const lines = wrap(parts, size)
    const hasRoom = lines.length * size * LEADING <= NAME_MAX_HEIGHT
    if (hasRoom && parts.every(part => fits(part, size, WORDS.width))) return { lines, size }
  }
  const size = SIZES[3]
  const lines = wrap(
    parts.flatMap(part => cut(part, size)),
    size,
  )
  const most = Math.floor(NAME_MAX_HEIGHT / (size * LEADING))
  if (lines.length <= most) return { lines, size }
  return { lines: [...lines.slice(0, most - 1), `${lines[most - 1]?.slice(0, -3)}...`], size }
}

/** Words in lines, as many in each as there is room for. */
function wrap(parts: readonly string[], size: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = `${lines.at(-1)} ${part}`
    if (lines.length > 0 && fits(longer, size, WORDS.width)) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}

/** A word that is wider than a line, in pieces that are not. */
function cut(part: string, size: number): string[] {
  const pieces = ['']
  for (const sign of part) {
    const longer = `${pieces.at(-1)}${sign}`
    if (fits(longer, size, WORDS.width)) pieces[pieces.length - 1] = longer
    else pieces.push(sign)
  }
  return pieces
}
