import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { networksOf } from '../src/platform/http/client-address.ts'
import { createSlots, type SlotLimits, type SlotRequest } from '../src/platform/lib/slots.ts'

const WAIT_MS = 1000

/** Slots whose entrants have names, with a record of who got in, in order. */
function slotsWith(limits: Partial<SlotLimits>) {
  const slots = createSlots({ atOnceMax: 2, waitersMax: 100, waitMs: WAIT_MS, ...limits })
  const inside: string[] = []
  const turnedAway: string[] = []
  const leaves = new Map<string, () => void>()
  const settled = () => new Promise<void>(resolve => process.nextTick(() => setImmediate(resolve)))
  return {
    use: slots.use,
    inside,
    turnedAway,
    async enter(name: string, entrant?: SlotRequest) {
      void slots.acquire(entrant).then(leave => {
        if (!leave) return turnedAway.push(name)
        leaves.set(name, leave)
        return inside.push(name)
      })
      await settled()
    },
    async leave(name: string) {
      leaves.get(name)?.()
      await settled()
    },
    settled,
  }
}

const from = (address: string): SlotRequest => ({ networks: networksOf(address) })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('slots', () => {
  it('let that many in at once, and the next when one leaves', async () => {
    const { enter, leave, inside, use } = slotsWith({})
    for (const name of ['a', 'b', 'c', 'd']) await enter(name)
    expect(inside).toEqual(['a', 'b'])
    expect(use()).toEqual({ busy: 2, waiting: 2 })
    await leave('b')
    expect(inside).toEqual(['a', 'b', 'c'])
  })

  it('let one in for each key, and a blocked key blocks no other', async () => {
    const { enter, leave, inside } = slotsWith({})
    await enter('first', { key: 'acme.com' })
    await enter('second', { key: 'acme.com' })
    await enter('other', { key: 'other.com' })
    expect(inside).toEqual(['first', 'other'])
    await leave('first')
    expect(inside).toEqual(['first', 'other', 'second'])
  })

  it('refuse requests that wait too long, and continue', async () => {
    const { enter, leave, inside, turnedAway, settled } = slotsWith({ atOnceMax: 1 })
    await enter('a')
    await enter('b')
    vi.advanceTimersByTime(WAIT_MS)
    await settled()
    expect(turnedAway).toEqual(['b'])
    await leave('a')
    await enter('c')
    expect(inside).toEqual(['a', 'c'])
  })

  it('turn away at once when too many wait', async () => {
    const { enter, turnedAway } = slotsWith({ atOnceMax: 1, waitersMax: 2 })
    for (const name of ['a', 'b', 'c', 'd']) await enter(name)
    expect(turnedAway).toEqual(['d'])
  })
})

describe('slots shared by networks', () => {
  it('are all for one network while no other wants any', async () => {
    const { enter, inside } = slotsWith({ atOnceMax: 8 })
    for (let n = 0; n < 8; n++) await enter(`${n}`, from('198.51.100.1'))
    expect(inside).toHaveLength(8)
  })

  it('keep some free for others, if told to', async () => {
    const { enter, inside } = slotsWith({ atOnceMax: 8, reserved: 2 })
    for (let n = 0; n < 8; n++) await enter(`${n}`, from('198.51.100.1'))
    expect(inside).toHaveLength(6)
    await enter('other', from('203.0.113.1'))
    await enter('another', from('203.0.113.2'))
    expect(inside.slice(6)).toEqual(['other', 'another'])
  })

  it.each([
    ['one address', Array(12).fill('198.51.100.7')],
    ['a /24', Array.from({ length: 12 }, (_, n) => `198.51.100.${n}`)],
    ['a /60', Array.from({ length: 12 }, (_, n) => `2001:db8:0:1${n.toString(16)}::1`)],
    ['a /56', Array.from({ length: 12 }, (_, n) => `2001:db8:0:1${n}::1`)],
    ['a /48', Array.from({ length: 12 }, (_, n) => `2001:db8:0:${n}00::1`)],
  ])('go to others first once %s holds a quarter', async (_network, addresses) => {
    const { enter, leave, inside } = slotsWith({ atOnceMax: 8 })
    for (const [n, address] of addresses.entries()) await enter(`${n}`, from(address))
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await enter(`other ${n}`, from(`192.0.${n}.1`))
    for (let n = 0; n < 6; n++) await leave(`${n}`)
    expect(inside.slice(8)).toEqual([1, 2, 3, 4, 5, 6].map(n => `other ${n}`))
    // Now it holds two of eight, which is its share.
    await leave('other 1')
    expect(inside.at(-1)).toBe('other 7')
    await leave('other 2')
    expect(inside.at(-1)).toBe('8')
  })

  it('are taken in turns, however many wait in each network', async () => {
    const { enter, leave, inside } = slotsWith({ atOnceMax: 1 })
    for (const n of [1, 2, 3, 4]) await enter(`crowd ${n}`, from(`2001:db8:0:${n}::1`))
    await enter('pair 1', from('198.51.100.1'))
    await enter('pair 2', from('198.51.100.1'))
    await enter('alone', from('203.0.113.1'))
    while (inside.length < 7) await leave(inside.at(-1) as string)
    expect(inside).toEqual(['crowd 1', 'crowd 2', 'pair 1', 'alone', 'crowd 3', 'pair 2', 'crowd 4'])
  })

  it('have a waiting list that no network can fill', async () => {
    const { enter, turnedAway, inside, leave } = slotsWith({ atOnceMax: 1, waitersMax: 4 })
    for (const n of [1, 2, 3, 4, 5, 6]) await enter(`crowd ${n}`, from(`198.51.100.${n}`))
    expect(turnedAway).toEqual(['crowd 6'])
    await enter('other 1', from('203.0.113.1'))
    expect(turnedAway).toEqual(['crowd 6', 'crowd 5'])
    await enter('other 2', from('203.0.113.2'))
    expect(turnedAway).toEqual(['crowd 6', 'crowd 5', 'crowd 4'])
    // Both have two waiting by now.
    await enter('other 3', from('203.0.113.2'))
    expect(turnedAway.at(-1)).toBe('other 3')
    await leave('crowd 1')
    await leave('crowd 2')
    expect(inside).toEqual(['crowd 1', 'crowd 2', 'other 1'])
  })
})
