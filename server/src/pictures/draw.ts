import { hash } from 'node:crypto'
import { hostText, markupOf } from './drawable.ts'
import type { Placarded, Shared } from './placarded.ts'
import { Sheet } from './sheet.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH, SHARE_HEIGHT, SHARE_WIDTH } from './size.ts'
import { stockOf } from './stock.ts'

const NAME_MAX_LENGTH = 40
/** Separates a website's name from the rest of its title. */
const SEPARATOR = /\s[–—·|:-]+\s|[:：｜]\s|[：｜—]/u
/** Layout of a placard, in pixels. */
const PLACARD = {
  name: { left: 24, top: 24, width: 592, height: 256 },
  rule: { left: 24, top: 302, width: 592, height: 2 },
  host: { left: 24, top: 316, width: 592, height: 30 },
}
/** Layout of a share picture, with a stored picture at the upper left and without. */
const PHOTO = { left: 0, top: 0, width: 760, height: 428 }
const BESIDE = {
  name: { left: 796, top: 40, width: 364, height: 476 },
  about: { left: 40, top: 448, width: 720, height: 76 },
}
const ALONE = { left: 40, top: 40, width: 1120, height: 476 }
const OVER = { name: { ...ALONE, height: 340 }, about: { ...ALONE, top: 414, height: 110 } }
const RULE = { left: 40, top: 546, width: 1120, height: 3 }
const HOST = { left: 40, top: 566, width: 760, height: 44 }
const BOARD = { left: 860, top: 568, width: 300, height: 44 }
/** Paper, ink and the shades between them: sixteen colours are enough. */
const TWO_INKS = { palette: true, colours: 16, effort: 1, dither: 0 } as const
/** Invisible, and as tall as any letter, so that all lines of a size have the same height. */
const STRUT = '<span alpha="1">|</span>'
const PAID = '   <span size="80%" underline="single">Paid place</span>'
const WIDTHS = [
  'expanded',
  'expanded',
  'semiexpanded',
  'normal',
  'semicondensed',
  'condensed',
  'extracondensed',
]
const WORDMARK = WIDTHS.map(
  (width, place) => `<span weight="900" font_stretch="${width}">${'PLACARD'[place]}</span>`,
).join('')

/**
 * Draws the placard of a listing without a picture: its name and host on its category's stock. One in four swaps paper
 * and ink. The same listing always gets the same placard.
 *
 * @returns a WebP, 640×360
 */
export async function drawPlacard(listing: Placarded): Promise<Buffer> {
  const { hostname, category, language } = listing
  const { paper, ink } = stockOf(category)
  const isSwapped = Number.parseInt(hash('sha256', hostname).slice(0, 2), 16) % 4 === 0
  const sheet = new Sheet(isSwapped ? { paper: ink, ink: paper } : { paper, ink })
  await sheet.set(partsOf(listing).name, PLACARD.name, { style: 'shout', language })
  sheet.rule(PLACARD.rule)
  await sheet.set(hostMarkup(hostname), PLACARD.host, { style: 'speak', size: 22, wrap: 'none' })
  return sheet.print(PICTURE_WIDTH, PICTURE_HEIGHT).webp({ quality: 90 }).toBuffer()
}

/**
 * Draws a listing's share picture: the whole title on its category's stock, beside the stored picture if there is one,
 * with a label if its place is paid, and the board's name.
 *
 * @param picture the stored picture, or null
 * @returns a PNG, 1200×630
 */
export async function drawSharePicture(shared: Shared, picture: Uint8Array | null): Promise<Buffer> {
  const { hostname, category, language, isPaidPlace } = shared
  const sheet = new Sheet(stockOf(category))
  const parts = partsOf(shared)
  const about = parts.about || (picture ? markupOf(category) : '')
  const rooms = picture ? BESIDE : about ? OVER : { ...OVER, name: ALONE }
  if (picture) await sheet.place(picture, PHOTO)
  await sheet.set(parts.name, rooms.name, { style: 'shout', language })
  if (about) await sheet.set(about, rooms.about, { style: 'speak', language, size: 44 })
  sheet.rule(RULE)
  await sheet.set(hostMarkup(hostname) + (isPaidPlace ? PAID : ''), HOST, {
    style: 'speak',
    size: 30,
    wrap: 'none',
  })
  await sheet.set(WORDMARK, BOARD, { style: 'speak', size: 42, wrap: 'none', toTheRight: true })
  return sheet
    .print(SHARE_WIDTH, SHARE_HEIGHT)
    .png(picture ? {} : TWO_INKS)
    .toBuffer()
}

const hostMarkup = (hostname: string) => markupOf(hostText(hostname)) + STRUT

/**
 * Splits a title into the name, up to a dash, a colon or a bar, and the rest. If the name cannot be drawn, the host
 * replaces it.
 */
function partsOf({ title, hostname }: Placarded): { name: string; about: string } {
  const separator = SEPARATOR.exec(title)
  const start = title.slice(0, separator?.index).trim()
  const rest = separator ? title.slice(separator.index + separator[0].length).trim() : ''
  const hasName = start !== '' && rest !== '' && start.length <= NAME_MAX_LENGTH
  return {
    name: markupOf(hasName ? start : title) || markupOf(hostText(hostname)),
    about: markupOf(hasName ? rest : ''),
  }
}
