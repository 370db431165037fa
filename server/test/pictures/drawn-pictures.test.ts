import { expect, test } from 'vitest'
import { houseOf, type IconDrawing } from '../../src/pictures/drawing.ts'
import { DrawnPictures } from '../../src/pictures/drawn-pictures.ts'
import { PLACARD } from '../../src/site/placard.ts'

const icon = (size: number): IconDrawing => ({
  kind: 'icon',
  house: houseOf(PLACARD),
  size,
  isMaskable: false,
})

test('one drawing is made once, for everybody who asks while it is under way and after', async () => {
  const drawn = new DrawnPictures({ keptMaxBytes: 1_000_000, waitingMax: 0 })
  const [one, other] = await Promise.all([drawn.get(icon(64)), drawn.get(icon(64))])
  expect(one?.body.length).toBeGreaterThan(100)
  expect(other).toBe(one)
  expect(await drawn.get(icon(64))).toBe(one)
})

test('no more wait for their drawing than may, and no more are kept than there is room for', async () => {
  const drawn = new DrawnPictures({ keptMaxBytes: 0, waitingMax: 1 })
  const sizes = [64, 65, 66, 67]
  const got = await Promise.all(sizes.map(size => drawn.get(icon(size))))
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, false])
  expect(await drawn.get(icon(64))).not.toBe(got[0])
})
