import { expect, test } from 'vitest'
import { houseOf, type IconDrawing } from '../../../src/domain/pictures/drawing.ts'
import { DrawnPictures } from '../../../src/domain/pictures/drawn-pictures.ts'
import { PLACARD } from '../../../src/platform/config/site.ts'

const icon = (size: number): IconDrawing => ({
  kind: 'icon',
  house: houseOf(PLACARD),
  size,
  isMaskable: false,
})

/** Without room to keep anything that is drawn on request. */
const NONE_KEPT = { keptMaxBytes: 0, aheadMaxBytes: 1_000_000, waitingMax: 20 }
const none = async () => null

test('one drawing is made once, for all requests during and after it', async () => {
  const drawn = new DrawnPictures({ ...NONE_KEPT, keptMaxBytes: 1_000_000, waitingMax: 0 })
  const [one, other] = await Promise.all([drawn.get(icon(64), ['a']), drawn.get(icon(64), ['a'])])
  expect(one?.body.length).toBeGreaterThan(100)
  expect(other).toBe(one)
  expect(await drawn.get(icon(64), ['a'])).toBe(one)
})

test('no more wait for their drawing than may, and no more are kept than there is room for', async () => {
  const drawn = new DrawnPictures({ ...NONE_KEPT, waitingMax: 1 })
  const sizes = [64, 65, 66, 67]
  const got = await Promise.all(sizes.map(size => drawn.get(icon(size), ['a'])))
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, false])
  expect(await drawn.get(icon(64), ['a'])).not.toBe(got[0])
})

test('pictures are kept up to a number of bytes, and the one used least recently is dropped', async () => {
  const bytes = async (size: number) => (await new DrawnPictures(NONE_KEPT).get(icon(size), ['a']))?.body.length ?? 0
  const keptMaxBytes = (await bytes(65)) + (await bytes(66)) + (await bytes(64)) - 1
  const drawn = new DrawnPictures({ ...NONE_KEPT, keptMaxBytes })
  const first = await drawn.get(icon(64), ['a'])
  const second = await drawn.get(icon(65), ['a'])
  expect(await drawn.get(icon(64), ['a'])).toBe(first)
  await drawn.get(icon(66), ['a'])
  expect(await drawn.get(icon(64), ['a'])).toBe(first)
  expect(await drawn.get(icon(65), ['a'])).not.toBe(second)
})

test('one network leaves room in the queue for others, and no request is refused because of the first one', async () => {
  const drawn = new DrawnPictures({ ...NONE_KEPT, waitingMax: 3 })
  const asked = ([network, size]: [string, number]) => drawn.get(icon(size), [network])
  const got = await Promise.all(
    (
      [
        ['a', 64],
        ['a', 65],
        ['a', 66],
        ['a', 67],
        ['c', 67],
        ['b', 68],
        ['b', 64],
      ] as [string, number][]
    ).map(asked),
  )
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, false, true, true, true])
})

test('what was drawn ahead is there however many networks ask for other pictures', async () => {
  const drawn = new DrawnPictures({ ...NONE_KEPT, waitingMax: 3 })
  await drawn.drawAhead(icon(64), none)
  const flood = Array.from({ length: 40 }, (_, nth) => drawn.get(icon(100 + nth), [`network ${nth}`]))
  expect((await drawn.get(icon(64), ['network 7']))?.body.length).toBeGreaterThan(100)
  expect(await drawn.get(icon(65), ['somebody'])).toBeUndefined()
  await Promise.all(flood)
  expect(await drawn.get(icon(64), ['somebody'])).toBe(await drawn.get(icon(64), ['somebody']))
})

test('a picture to be drawn ahead is next, however many requests wait', async () => {
  const drawn = new DrawnPictures(NONE_KEPT)
  const order: string[] = []
  const flood = Array.from({ length: 5 }, (_, nth) =>
    drawn.get(icon(100 + nth), [`network ${nth}`]).then(() => order.push('asked')),
  )
  const ahead = drawn.drawAhead(icon(64), none).then(() => order.push('ahead'))
  await Promise.all([...flood, ahead])
  expect(order.indexOf('ahead')).toBeLessThanOrEqual(1)
})
