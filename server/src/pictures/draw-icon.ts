import type { Sharp } from 'sharp'
import { drawable, markupOf } from './drawable.ts'
import type { IconDrawing } from './drawing.ts'
import { Sheet } from './sheet.ts'

/** The letter, as a share of the square. What may be cut to a circle keeps within four fifths of it. */
const LETTER = { whole: 0.62, maskable: 0.46 }

const byCharacter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The first letter of the name, on the colour of the board. */
export async function drawIcon({ house, size, isMaskable }: IconDrawing): Promise<Sharp> {
  const sheet = new Sheet(house)
  const room = Math.round(size * (isMaskable ? LETTER.maskable : LETTER.whole))
  const margin = Math.round((size - room) / 2)
  const letter =
    [...byCharacter.segment(drawable(house.name))].map(({ segment }) => segment).find(isLetter) ?? '•'
  const square = { left: margin, top: margin, width: room, height: room }
  await sheet.setWood(markupOf(letter.toUpperCase()), square, { stretch: 112, isCentred: true })
  return sheet.print(size, size)
}

const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)
