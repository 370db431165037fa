import type { Sharp } from 'sharp'
import { isMeasured } from '../art/wood-type.ts'
import { printWood } from './draw-listing.ts'
import { markupOf } from './drawable.ts'
import type { SiteDrawing } from './drawing.ts'
import { setImprint } from './imprint.ts'
import { Sheet } from './sheet.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from './size.ts'

const ROOM = { left: 40, top: 40, width: 1120, height: 476 }
/** More words could be broken into lines in too many ways, and would stand too small. */
const WORDS_MAX = 8

/** What the board is, like wood type on the colour of the board. */
export async function drawSite({ tagline, note, house }: SiteDrawing): Promise<Sharp> {
  const sheet = new Sheet(house)
  const isSettable = isMeasured(tagline) && tagline.split(' ').length <= WORDS_MAX
  if (isSettable) await printWood(sheet, tagline, ROOM)
  else await sheet.set(markupOf(tagline), ROOM, { style: 'shout' })
  await setImprint(sheet, markupOf(note), house)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}
