import { markupOf } from './drawable.ts'
import type { House } from './drawing.ts'
import type { Room, Sheet } from './sheet.ts'

const RULE = { left: 40, top: 546, width: 1120, height: 3 }
const LEFT = { left: 40, top: 566, width: 740, height: 40 }
const RIGHT = { left: 800, top: 566, width: 360, height: 40 }
/** Invisible, and as tall as any letter, so that all lines of a size have the same height. */
const STRUT = '<span alpha="1">|</span>'
/** From a wide P to a narrow D. */
const WIDTHS = [
  'expanded',
  'expanded',
  'semiexpanded',
  'normal',
  'semicondensed',
  'condensed',
  'extracondensed',
]
const OUR_NAME = 'PLACARD'
const WORDMARK = WIDTHS.map(
  (width, place) => `<span weight="900" font_stretch="${width}">${OUR_NAME[place]}</span>`,
).join('')

/** The foot of each picture: a rule, some words, and whose board it is. */
export async function setImprint(sheet: Sheet, markup: string, house: House): Promise<void> {
  sheet.fill(RULE)
  await sheet.set(markup + STRUT, LEFT, { style: 'speak', size: 30, wrap: 'none', inTheMiddle: true })
  await setName(sheet, house, RIGHT)
}

/** The name of the board, at the right of a room. */
const setName = (sheet: Sheet, { name }: House, room: Room) =>
  sheet.set(STRUT + nameMarkup(name), room, {
    style: 'speak',
    size: 40,
    wrap: 'none',
    toTheRight: true,
    inTheMiddle: true,
  })

const nameMarkup = (name: string) =>
  name.toUpperCase() === OUR_NAME
    ? WORDMARK
    : `<span weight="900" font_stretch="semicondensed">${markupOf(name)}</span>`
