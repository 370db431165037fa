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
  const drawn = new DrawnPictures({ keptMaxBytes: 1_000_000, waitingMax: 0, waitingMaxPerClient: 0 })
  const [one, other] = await Promise.all([drawn.get(icon(64), 'a'), drawn.get(icon(64), 'a')])
  expect(one?.body.length).toBeGreaterThan(100)
  expect(other).toBe(one)
  expect(await drawn.get(icon(64), 'a')).toBe(one)
})

test('no more wait for their drawing than may, and no more are kept than there is room for', async () => {
  const drawn = new DrawnPictures({ keptMaxBytes: 0, waitingMax: 1, waitingMaxPerClient: 1 })
  const sizes = [64, 65, 66, 67]
  const got = await Promise.all(sizes.map(size => drawn.get(icon(size), 'a')))
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, false])
  expect(await drawn.get(icon(64), 'a')).not.toBe(got[0])
})

test('one client leaves room in the line for others', async () => {
  const drawn = new DrawnPictures({ keptMaxBytes: 0, waitingMax: 20, waitingMaxPerClient: 1 })
  const asked = ([client, size]: [string, number]) => drawn.get(icon(size), client)
  const got = await Promise.all(
    (
      [
        ['a', 64],
        ['a', 65],
        ['a', 66],
        ['b', 67],
        ['b', 64],
      ] as [string, number][]
    ).map(asked),
  )
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, true, true])
  expect(await drawn.get(icon(66), 'a')).toBeDefined()
})
