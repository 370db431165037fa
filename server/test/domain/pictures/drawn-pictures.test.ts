import { expect, onTestFinished, test, vi } from 'vitest'
import { brandOf, type IconDrawing } from '../../../src/domain/pictures/drawing.ts'
import { DrawnPictures } from '../../../src/domain/pictures/drawn-pictures.ts'
import { PictureMaker } from '../../../src/domain/pictures/picture-process.ts'
import { PLACARD } from '../../../src/platform/config/site.ts'
import { isAlive, processesOf } from '../../support/process.ts'

const icon = (size: number): IconDrawing => ({
  kind: 'icon',
  brand: brandOf(PLACARD),
  size,
  isMaskable: false,
})

/** Without room to keep anything that is drawn on request. */
const NONE_KEPT = { keptMaxBytes: 0, aheadMaxBytes: 1_000_000, waitingMax: 20 }
const none = async () => null

/** Its process ends with the test. */
function open(limits = NONE_KEPT): DrawnPictures {
  const drawn = new DrawnPictures(limits)
  onTestFinished(() => drawn.close())
  return drawn
}

test('one drawing is made once, for all requests during and after it', async () => {
  const drawn = open({ ...NONE_KEPT, keptMaxBytes: 1_000_000, waitingMax: 0 })
  const [one, other] = await Promise.all([drawn.get(icon(64), ['a']), drawn.get(icon(64), ['a'])])
  expect(one?.body.length).toBeGreaterThan(100)
  expect(other).toBe(one)
  expect(await drawn.get(icon(64), ['a'])).toBe(one)
})

test('a picture is drawn after its idle process was killed, as when memory runs out', async () => {
  const drawn = open()
  const before = processesOf(process.pid, 'make-pictures')
  expect(await drawn.get(icon(64), ['a'])).toBeDefined()
  const started = processesOf(process.pid, 'make-pictures').filter(pid => !before.includes(pid))
  expect(started).toHaveLength(1)
  for (const pid of started) process.kill(pid, 'SIGKILL')
  await expect.poll(() => started.some(isAlive)).toBe(false)
  expect(await drawn.get(icon(65), ['a'])).toBeDefined()
})

test('no more wait for their drawing than may, and no more are kept than there is room for', async () => {
  const drawn = open({ ...NONE_KEPT, waitingMax: 1 })
  const sizes = [64, 65, 66, 67]
  const got = await Promise.all(sizes.map(size => drawn.get(icon(size), ['a'])))
  expect(got.map(picture => picture !== undefined)).toEqual([true, true, false, false])
  expect(await drawn.get(icon(64), ['a'])).not.toBe(got[0])
})

test('pictures are kept up to a number of bytes, and the one used least recently is dropped', async () => {
  const bytes = async (size: number) => (await open().get(icon(size), ['a']))?.body.length ?? 0
  const keptMaxBytes = (await bytes(65)) + (await bytes(66)) + (await bytes(64)) - 1
  const drawn = open({ ...NONE_KEPT, keptMaxBytes })
  const first = await drawn.get(icon(64), ['a'])
  const second = await drawn.get(icon(65), ['a'])
  expect(await drawn.get(icon(64), ['a'])).toBe(first)
  await drawn.get(icon(66), ['a'])
  expect(await drawn.get(icon(64), ['a'])).toBe(first)
  expect(await drawn.get(icon(65), ['a'])).not.toBe(second)
})

test('one network leaves room in the queue for others, and no request is refused because of the first one', async () => {
  const drawn = open({ ...NONE_KEPT, waitingMax: 3 })
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
  const drawn = open({ ...NONE_KEPT, waitingMax: 3 })
  await drawn.drawAhead(icon(64), none)
  const flood = Array.from({ length: 40 }, (_, nth) => drawn.get(icon(100 + nth), [`network ${nth}`]))
  expect((await drawn.get(icon(64), ['network 7']))?.body.length).toBeGreaterThan(100)
  expect(await drawn.get(icon(65), ['somebody'])).toBeUndefined()
  await Promise.all(flood)
  expect(await drawn.get(icon(64), ['somebody'])).toBe(await drawn.get(icon(64), ['somebody']))
})

test('a request waits for one picture that is drawn ahead, however many are to be drawn', async () => {
  const drawn = open()
  const order: string[] = []
  const ahead = Array.from({ length: 5 }, (_, nth) =>
    drawn.drawAhead(icon(100 + nth), none).then(() => order.push('ahead')),
  )
  const asked = drawn.get(icon(64), ['a']).then(() => order.push('asked'))
  await Promise.all([...ahead, asked])
  expect(order.indexOf('asked')).toBeLessThanOrEqual(1)
})

test('a picture that waits to be drawn ahead is drawn for the first request, and only once', async () => {
  const made = vi.spyOn(PictureMaker.prototype, 'make')
  onTestFinished(() => void made.mockRestore())
  const drawn = open({ ...NONE_KEPT, keptMaxBytes: 1_000_000 })
  const order: number[] = []
  const sizes = [100, 101, 102, 103]
  const ahead = sizes.map(size => drawn.drawAhead(icon(size), none).then(() => order.push(size)))
  const asked = drawn.get(icon(103), ['a'])
  expect((await asked)?.body.length).toBeGreaterThan(100)
  expect(order).not.toContain(102)
  await Promise.all(ahead)
  expect(await drawn.get(icon(103), ['a'])).toBe(await asked)
  expect(made).toHaveBeenCalledTimes(sizes.length)
})

test('a request that finds the line full gets the picture that is drawn ahead', async () => {
  const drawn = open({ ...NONE_KEPT, waitingMax: 0 })
  const ahead = drawn.drawAhead(icon(64), none)
  const other = drawn.get(icon(65), ['a'])
  expect((await drawn.get(icon(64), ['b']))?.body.length).toBeGreaterThan(100)
  await Promise.all([ahead, other])
})

test('a picture to be drawn ahead is next, however many requests wait', async () => {
  const drawn = open()
  const order: string[] = []
  const flood = Array.from({ length: 5 }, (_, nth) =>
    drawn.get(icon(100 + nth), [`network ${nth}`]).then(() => order.push('asked')),
  )
  const ahead = drawn.drawAhead(icon(64), none).then(() => order.push('ahead'))
  await Promise.all([...flood, ahead])
  expect(order.indexOf('ahead')).toBeLessThanOrEqual(1)
})
