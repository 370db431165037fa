import type { Sharp } from 'sharp'
import { hostText, markupOf } from './drawable.ts'
import type { BoardDrawing } from './drawing.ts'
import { setImprint } from './imprint.ts'
import { Sheet } from './sheet.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from './size.ts'

const HEADING = { left: 40, top: 34, width: 1120, height: 92 }
/** The first three, from top to bottom; No. 1 on a bill of its own. */
const BLANK = { left: 40, top: 148, width: 1120, height: 376 }
const BILL = { left: 40, top: 148, width: 1120, height: 170 }
const ROWS = [
  BILL,
  { left: 40, top: 330, width: 1120, height: 98 },
  { left: 40, top: 436, width: 1120, height: 98 },
] as const
/** Before the numeral, and from its left to that of the name. */
const [PADDING, INDENT] = [24, 136]
const FIRST = { paper: '#f2b705', ink: '#16181a' }

/** The name of a board and its first three places; where nobody has one, how much room there is. */
export async function drawBoard({ heading, note, places, offer, house }: BoardDrawing): Promise<Sharp> {
  const sheet = new Sheet(house)
  await sheet.set(markupOf(heading), HEADING, { style: 'shout', size: 84, wrap: 'none', inTheMiddle: true })
  if (places.length === 0) {
    sheet.fill(BLANK, FIRST.paper)
    const room = {
      left: BLANK.left + 40,
      top: BLANK.top + 40,
      width: BLANK.width - 80,
      height: BLANK.height - 80,
    }
    await sheet.setWood(markupOf(offer), room, { stretch: 62, ink: FIRST.ink, isCentred: true })
  }
  for (const [index, row] of ROWS.entries()) {
    const place = places[index]
    if (!place) break
    const { left, top, width, height } = row
    const ink = index === 0 ? FIRST.ink : house.ink
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
  await setImprint(sheet, markupOf(note), house)
  return sheet.print(SHARE_WIDTH, SHARE_HEIGHT)
}
