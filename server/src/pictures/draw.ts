import { stockOf } from '../art/stock.ts'
import { hostText, markupOf } from './drawable.ts'
import type { Shared } from './shared.ts'
import { Sheet } from './sheet.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from './size.ts'

const NAME_MAX_LENGTH = 40
/** Separates a website's name from the rest of its title. */
const SEPARATOR = /\s[–—·|:-]+\s|[:：｜]\s|[：｜—]/u
/** On a share picture: with a stored picture at the upper left, and without. */
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
 * Draws what is shown where a listing is shared: the whole title on the stock of its category, beside the stored picture
 * where there is one, whether its place is paid for, and whose board it is.
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
function partsOf({ title, hostname }: Shared): { name: string; about: string } {
  const separator = SEPARATOR.exec(title)
  const start = title.slice(0, separator?.index).trim()
  const rest = separator ? title.slice(separator.index + separator[0].length).trim() : ''
  const hasName = start !== '' && rest !== '' && start.length <= NAME_MAX_LENGTH
  return {
    name: markupOf(hasName ? start : title) || markupOf(hostText(hostname)),
    about: markupOf(hasName ? rest : ''),
  }
}
