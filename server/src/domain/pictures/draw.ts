import type { Sharp } from 'sharp'
import { drawListing, printWood } from './draw-listing.ts'
import {
  type BoardDrawing,
  type Drawing,
  type IconDrawing,
  type PostersDrawing,
  SHARE_HEIGHT,
  SHARE_WIDTH,
  type SiteDrawing,
} from './drawing.ts'
import { drawable, hostText, markupOf, setImprint } from './markup.ts'
import { dotted } from './posters/name.ts'
import { settableTitle } from './posters/poster.ts'
import { stockOf } from './posters/stock.ts'
import { isMeasured } from './posters/wood-type.ts'
import { FIRST, Sheet, within } from './sheet.ts'

/** Few inks, and the shades between them: sixteen colours are enough. */
const FEW_INKS = { palette: true, colours: 16, effort: 1, dither: 0 } as const

/** Each poster has inks of its own. */
const MORE_INKS = { ...FEW_INKS, colours: 64 } as const

/**
 * Draws a picture with words: a share picture of 1200×630 pixels, or an icon.
 *
 * @param picture the stored picture of a listing that has one
 * @returns a PNG
 */
export async function draw(drawing: Drawing, picture: Uint8Array | null): Promise<Buffer> {
  const sheet = await printed(drawing, picture)
  return sheet.png(picture ? {} : drawing.kind === 'bills' ? MORE_INKS : FEW_INKS).toBuffer()
}

function printed(drawing: Drawing, picture: Uint8Array | null): Promise<Sharp> {
  switch (drawing.kind) {
    case 'listing':
      return drawListing(drawing, picture)
    case 'board':
      return drawBoard(drawing)
    case 'bills':
      return drawPosters(drawing)
    case 'site':
      return drawSite(drawing)
    case 'icon':
      return drawIcon(drawing)
  }
}

const HEADING = { left: 40, top: 34, width: 1120, height: 92 }

/** The first three places, from top to bottom. No. 1 has a placard of its own. */
const BLANK = { left: 40, top: 148, width: 1120, height: 376 }
const FIRST_ROW = { left: 40, top: 148, width: 1120, height: 170 }
const ROWS = [
  FIRST_ROW,
  { left: 40, top: 330, width: 1120, height: 98 },
  { left: 40, top: 436, width: 1120, height: 98 },
] as const

/** The space before the numeral, and from the numeral's left edge to that of the name. */
const [PADDING, INDENT] = [24, 136]

/** Draws the name of a board and its first three places. If there are none, draws how much space there is. */
async function drawBoard({ heading, note, places, offer, brand }: BoardDrawing): Promise<Sharp> {
  const sheet = new Sheet(brand)
  await sheet.set(markupOf(heading), HEADING, { style: 'shout', size: 84, wrap: 'none', inTheMiddle: true })
  if (places.length === 0) {
    sheet.fill(BLANK, FIRST.paper)
    await sheet.setWood(markupOf(offer), within(BLANK, 40), { stretch: 62, ink: FIRST.ink, isCentred: true })
  }
  for (const [index, row] of ROWS.entries()) {
    const place = places[index]
    if (!place) break
    const { left, top, width, height } = row
    const ink = index === 0 ? FIRST.ink : brand.ink
    if (index === 0) sheet.fill(row, FIRST.paper)
    else if (index === 2) sheet.fill({ left, top: top - 6, width, height: 2 })
    const inside = { top: top + 12, height: height - 24 }
    await sheet.setWood(
      String(index + 1),
      { ...inside, left: left + PADDING, width: INDENT - PADDING },
      { stretch: 62, ink },
    )
    const room = { ...inside, left: left + PADDING + INDENT, width: width - 2 * PADDING - INDENT }
    const name = markupOf(place.title) || markupOf(hostText(place.hostname))
    await sheet.set(name, room, { style: 'shout', language: place.language, ink, inTheMiddle: true })
  }
  await setImprint(sheet, markupOf(note), brand)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}

const POSTERS = { left: 40, top: 36, width: 1120, height: 486 }
const [GAP, MARGIN] = [20, 24]
/** More posters than this are drawn in two rows. */
const ROW_MAX = 3

/** Draws posters side by side, each with its name on the colours of its category. */
async function drawPosters({ bills, note, brand }: PostersDrawing): Promise<Sharp> {
  const sheet = new Sheet(brand)
  const half = bills.length > ROW_MAX ? Math.ceil(bills.length / 2) : bills.length
  const rows = [bills.slice(0, half), bills.slice(half)].filter(row => row.length > 0)
  const height = Math.floor((POSTERS.height - GAP * (rows.length - 1)) / rows.length)
  for (const [index, row] of rows.entries()) {
    const width = Math.floor((POSTERS.width - GAP * (row.length - 1)) / row.length)
    const top = POSTERS.top + index * (height + GAP)
    for (const [place, { title, hostname, language, category }] of row.entries()) {
      const poster = { left: POSTERS.left + place * (width + GAP), top, width, height }
      const { paper, ink } = stockOf(category)
      sheet.fill(poster, paper)
      const room = within(poster, MARGIN)
      const wood = settableTitle(title)
      const name = markupOf(title) || markupOf(hostText(hostname))
      if (wood) await printWood(sheet, dotted(wood, language), room, ink)
      else await sheet.set(name, room, { style: 'shout', language, ink })
    }
  }
  await setImprint(sheet, markupOf(note), brand)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}

/** The letter's share of the square. Within a circle, four fifths of it are safe. */
const LETTER = { whole: 0.62, maskable: 0.46 }

const byCharacter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Draws the first letter of the name, on the site's colour. */
async function drawIcon({ brand, size, isMaskable }: IconDrawing): Promise<Sharp> {
  const sheet = new Sheet(brand)
  const room = Math.round(size * (isMaskable ? LETTER.maskable : LETTER.whole))
  const margin = Math.round((size - room) / 2)
  const letter = [...byCharacter.segment(drawable(brand.name))].map(({ segment }) => segment).find(isLetter) ?? '•'
  const square = { left: margin, top: margin, width: room, height: room }
  await sheet.setWood(markupOf(letter.toUpperCase()), square, { stretch: 112, isCentred: true })
  return sheet.print(size, size)
}

const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)

const ROOM = { left: 40, top: 40, width: 1120, height: 476 }

/** More words could be broken into lines in too many ways, and would be too small. */
const WORDS_MAX = 8

/** Draws what the site is, like wood type on the site's colour. */
async function drawSite({ tagline, note, brand }: SiteDrawing): Promise<Sharp> {
  const sheet = new Sheet(brand)
  const isSettable = isMeasured(tagline) && tagline.split(' ').length <= WORDS_MAX
  if (isSettable) await printWood(sheet, tagline, ROOM)
  else await sheet.set(markupOf(tagline), ROOM, { style: 'shout' })
  await setImprint(sheet, markupOf(note), brand)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}
