import type { Sharp } from 'sharp'
import { dayText } from '../../platform/lib/text.ts'
import { type ListingDrawing, type Placed, SHARE_HEIGHT, SHARE_WIDTH } from './drawing.ts'
import { hostText, markupOf, setImprint } from './markup.ts'
import { heightOfAll } from './posters/line.ts'
import { dotted, withoutPageName } from './posters/name.ts'
import { settableTitle } from './posters/poster.ts'
import { stockOf } from './posters/stock.ts'
import { setBlock, setRepeat } from './posters/words.ts'
import { type Area, FIRST, Sheet, within } from './sheet.ts'

const NAME_MAX_LENGTH = 40
/** Separates a website's name from the rest of its title. */
const SEPARATOR = /\s[–—·|:-]+\s|[:：｜]\s|[：｜—]/u
const WHOLE: Area = { left: 40, top: 40, width: 1120, height: 476 }
/** The stored picture in its frame, and what stands beside and below it. */
const FRAME: Area = { left: 40, top: 40, width: 716, height: 406 }
const FRAME_WIDTH = 3
const BESIDE: Area = { left: 792, top: 36, width: 368, height: 480 }
const BELOW: Area = { left: 40, top: 456, width: 716, height: 82 }
const PLATE: Area = { left: 792, top: 430, width: 368, height: 96 }
/** A rank as a numeral, and what stands beside that. */
const NUMERAL: Area = { left: 40, top: 40, width: 440, height: 476 }
const BESIDE_NUMERAL = 44
const ABOUT_GAP = 28

/** Draws the whole title on the colours of its category, with the picture of the website, its rank, or wood type. */
export async function drawListing(drawing: ListingDrawing, picture: Uint8Array | null): Promise<Sharp> {
  const { hostname, category, place, brand } = drawing
  const sheet = new Sheet(place?.rank === 1 && !picture ? FIRST : stockOf(category))
  if (picture) await printPicture(sheet, drawing, picture)
  else if (place) await printPlace(sheet, drawing, place)
  else await printName(sheet, drawing)
  const isPaidElsewhere = drawing.paid !== null && !place
  const paid = isPaidElsewhere ? `   <span size="80%" underline="single">${drawing.paid}</span>` : ''
  await setImprint(sheet, markupOf(hostText(hostname)) + paid, brand)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}

/** Prints the whole picture in a frame: no part of it may be cut off. */
async function printPicture(sheet: Sheet, drawing: ListingDrawing, picture: Uint8Array): Promise<void> {
  const { category, place, language } = drawing
  const { name, about } = partsOf(drawing)
  sheet.fill(FRAME)
  await sheet.place(picture, within(FRAME, FRAME_WIDTH))
  const room = place ? { ...BESIDE, height: PLATE.top - BESIDE.top - 20 } : BESIDE
  await sheet.set(name, room, { style: 'shout', language })
  await sheet.set(about || markupOf(category), BELOW, {
    style: 'speak',
    language,
    size: 34,
    inTheMiddle: true,
  })
  if (place) await printPlate(sheet, drawing, place)
}

/** Prints a rank next to a picture, on a plate of its own. */
async function printPlate(sheet: Sheet, drawing: ListingDrawing, place: Placed): Promise<void> {
  const stock = stockOf(drawing.category)
  const { paper, ink } = place.rank === 1 ? FIRST : { paper: stock.ink, ink: stock.paper }
  sheet.fill(PLATE, ink)
  const inner = within(PLATE, 3)
  sheet.fill(inner, paper)
  const block = { ...inner, left: inner.left + 15, width: inner.width - 30 }
  const paid = `<span size="48%" line_height="1.2" weight="600" font_stretch="semicondensed">${paidOn(drawing, place)}</span>`
  await sheet.set(`No. ${figures(place.rank)} ${onBoard(place)}\n${paid}`, block, {
    style: 'shout',
    size: 46,
    ink,
    wrap: 'none',
    inTheMiddle: true,
  })
}

/** The rank as a numeral, and the title beside it. */
async function printPlace(sheet: Sheet, drawing: ListingDrawing, place: Placed): Promise<void> {
  const { language } = drawing
  const { name, about } = partsOf(drawing)
  const numeral = await sheet.setWood(figures(place.rank), NUMERAL, { stretch: 62 })
  const left = NUMERAL.left + numeral.width + BESIDE_NUMERAL
  const width = WHOLE.left + WHOLE.width - left
  const said = `<b>No. ${figures(place.rank)} ${onBoard(place)}</b>`
  await sheet.set(said, { left, top: 36, width, height: 44 }, { style: 'speak', size: 36, wrap: 'none' })
  await sheet.set(
    paidOn(drawing, place),
    { left, top: 82, width, height: 34 },
    { style: 'speak', size: 27, wrap: 'none' },
  )
  await sheet.set(name, { left, top: 138, width, height: about ? 270 : 378 }, { style: 'shout', language })
  if (about) await sheet.set(about, { left, top: 430, width, height: 86 }, { style: 'speak', language, size: 36 })
}

/** Prints the name alone: like wood type if our font has its letters, else as large as possible. */
async function printName(sheet: Sheet, drawing: ListingDrawing): Promise<void> {
  const { language } = drawing
  const { raw, name, about } = partsOf(drawing)
  const room = about ? { ...WHOLE, height: 350 } : WHOLE
  const wood = settableTitle(raw)
  // A title of only signs may have nothing to draw. Then the host replaces it.
  const named = wood
    ? await printWood(sheet, dotted(wood, language), room)
    : await sheet.set(name, room, { style: 'shout', language })
  const top = room.top + named.height + ABOUT_GAP
  const below = { ...WHOLE, top, height: WHOLE.top + WHOLE.height - top }
  if (about) await sheet.set(about, below, { style: 'speak', language, size: 52 })
}

/** Lines as wide as the room; a single word is repeated to fill it. @returns what they take of its height, in pixels */
export async function printWood(sheet: Sheet, title: string, room: Area, ink?: string): Promise<{ height: number }> {
  const block = setBlock(title, room)
  const repeat = title.includes(' ') ? block : setRepeat(title.toUpperCase(), room)
  const { lines, gap } = heightOfAll(repeat.lines) > heightOfAll(block.lines) ? repeat : block
  let { top } = room
  let bottom = top
  for (const { text, width: stretch, above, below, isFull } of lines) {
    const height = Math.round(Math.min(above + below, room.top + room.height - top))
    if (height < 1) break
    const set = await sheet.setWood(markupOf(text), { ...room, top, height }, { stretch, isFull, ...(ink && { ink }) })
    bottom = top + set.height
    top = bottom + Math.round(gap)
  }
  return { height: bottom - room.top }
}

/**
 * Splits a title into the name, up to a dash, a colon or a bar, and the rest. If the name cannot be drawn, the host
 * replaces it.
 */
function partsOf({ title: whole, hostname }: ListingDrawing): { raw: string; name: string; about: string } {
  const title = withoutPageName(whole)
  const separator = SEPARATOR.exec(title)
  const start = title.slice(0, separator?.index).trim()
  const rest = separator ? title.slice(separator.index + separator[0].length).trim() : ''
  const hasName = start !== '' && rest !== '' && start.length <= NAME_MAX_LENGTH
  const raw = hasName ? start : title
  return {
    raw,
    name: markupOf(raw) || markupOf(hostText(hostname)),
    about: markupOf(hasName ? rest : ''),
  }
}

const figures = (rank: number) => rank.toLocaleString('en-US')
const onBoard = ({ board }: Placed) => (board === 'today' ? 'today' : 'of all time')
/** If the picture outlives the day, it still names the day. */
const paidOn = ({ paid }: ListingDrawing, { day }: Placed) =>
  day === null ? `${paid}` : `${paid}, ${dayText(Date.parse(day))}`
