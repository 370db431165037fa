import { createHash, hash } from 'node:crypto'
import { type Box, COLOURS, felt, pinColourOf, pinned, svg } from './board-drawing.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './picture-size.ts'
import { clipStart, drawable, LETTER_HEIGHT, lettering, widthOf } from './stroke-letters.ts'

/** What a placard is drawn from. All of it comes from outside, and none of it gets into the drawing as text. */
export interface Placarded {
  title: string
  hostname: string
  category: string
}

/** Raise it whenever the drawing changes, so that no old one is kept anywhere. */
const DRAWING = 1

/** Names what a placard is drawn from, and so the drawing, without drawing it. */
export const placardVersion = ({ title, hostname, category }: Placarded): string =>
  hash('sha256', JSON.stringify([DRAWING, title, hostname, category]), 'base64url').slice(0, 12)

/**
 * Draws the placard of a listing without a picture of its own, the same for the same listing: a card on the felt, with
 * the pin of its category, initials and host. Letters are strokes: no fonts, no text, nothing a name could smuggle in.
 *
 * @returns an SVG document, 640×360
 */
export function drawPlacard(listing: Placarded): string {
  return svg(
    PICTURE_WIDTH,
    PICTURE_HEIGHT,
    `${felt(PICTURE_WIDTH, PICTURE_HEIGHT)}${placardCard(listing, { x: 130, y: 38, width: 380, height: 284 })}`,
  )
}

/** The card alone, for a place on a board. */
export function placardCard(listing: Placarded, box: Box): string {
  const hash = createHash('sha256').update(`${listing.hostname}\0${listing.title}`).digest()
  const { x, y, width, height } = box
  const middle = x + width / 2
  const colour = pinColourOf(listing.category)
  const initials = initialsOf(listing)
  const size = height * 0.34
  const sign =
    initials === undefined
      ? emblem(hash, middle, y + height * 0.4, size * 0.62, colour)
      : lettering(initials, {
          x: middle,
          y: y + height * 0.4 - size / 2,
          size,
          colour: COLOURS.ink,
          weight: 0.8,
          anchor: 'middle',
        })
  const band = ornament(hash, { x: x + 24, y: y + height * 0.67, width: width - 48, height: 14 }, colour)
  const host = hostLetters(listing.hostname, {
    x: middle,
    y: y + height * 0.81,
    width: width - 48,
    size: height * 0.07,
  })
  return pinned(box, colour, ((hash[0] ?? 0) % 7) * 0.6 - 1.8, `${sign}${band}${host}`)
}

/** One letter, or two, of the name; undefined where it is in another script. */
function initialsOf({ title }: Placarded): string | undefined {
  const words = title.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)?.slice(0, 2) ?? []
  const letters = words.map(word => drawable([...word][0] ?? '')?.[0])
  if (letters.length === 0 || letters.includes(undefined)) return undefined
  return letters.join('')
}

/** A row of shapes that no other name is likely to have. */
function ornament(hash: Buffer, { x, y, width, height }: Box, colour: string): string {
  const count = 13
  const step = (width - height) / (count - 1)
  const shapes = Array.from({ length: count }, (_, place) => {
    const [cx, cy, r] = [x + height / 2 + place * step, y + height / 2, height / 2]
    const kind = (hash[1 + place] ?? 0) % 5
    if (kind === 0) return `<circle cx="${cx}" cy="${cy}" r="${r}"/>`
    if (kind === 1) return `<path d="M${cx - r} ${cy + r}L${cx} ${cy - r}L${cx + r} ${cy + r}z"/>`
    if (kind === 2) return `<path d="M${cx - r} ${cy - r}h${2 * r}v${2 * r}h${-2 * r}z"/>`
    if (kind === 3) return `<path d="M${cx} ${cy - r}L${cx + r} ${cy}L${cx} ${cy + r}L${cx - r} ${cy}z"/>`
    return `<circle cx="${cx}" cy="${cy}" r="${r * 0.4}"/>`
  })
  return `<g fill="${colour}" fill-opacity=".85">${shapes.join('')}</g>`
}

/** In place of letters: petals round a middle, their number and forms from the hash. */
function emblem(hash: Buffer, x: number, y: number, radius: number, colour: string): string {
  const petals = 5 + ((hash[20] ?? 0) % 6)
  const [long, wide] = [radius * 0.55, radius * (0.14 + ((hash[21] ?? 0) % 5) * 0.04)]
  const ring = Array.from(
    { length: petals },
    (_, place) =>
      `<ellipse cx="${x}" cy="${y - radius * 0.5}" rx="${wide}" ry="${long}" transform="rotate(${(360 / petals) * place} ${x} ${y})"/>`,
  )
  return `<g fill="none" stroke="${COLOURS.ink}" stroke-width="${radius * 0.09}">${ring.join('')}</g><circle cx="${x}" cy="${y}" r="${radius * 0.2}" fill="${colour}"/>`
}

/** The host, smaller where it is long, without its beginning where it is longer still: the end says whose it is. */
function hostLetters(
  hostname: string,
  { x, y, width, size }: Omit<Box, 'height'> & { size: number },
): string {
  const text = hostText(hostname)
  const fitting = Math.max(size * 0.62, Math.min(size, (width / widthOf(text)) * LETTER_HEIGHT))
  return lettering(clipStart(text, fitting, width), {
    x,
    y,
    size: fitting,
    colour: COLOURS.muted,
    weight: 0.85,
    anchor: 'middle',
  })
}

/**
 * A host as the network writes it: drawn without its marks, an international name could pass for another one. All that a
 * host may hold can be drawn.
 */
export const hostText = (hostname: string): string => drawable(hostname.replace(/^www\./, '')) ?? '-'
