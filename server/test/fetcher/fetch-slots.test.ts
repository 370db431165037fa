import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../src/destinations/destination.ts'
import { createSlots } from '../../src/slots.ts'
import { respond, startWebServer } from '../support/web-server.ts'
import { fetcherFor } from './fetching.ts'

const LIMITS = { atOnceMax: 2, waitersMax: 2, waitMs: 100 }

describe('slots', () => {
  it('let that many in at once, and the next when one leaves', async () => {
    const slots = createSlots(LIMITS)
    const leaveA = await slots.enter('a')
    await slots.enter('b')
    const third = slots.enter('c')
    leaveA?.()
    expect(await third).toBeTypeOf('function')
  })

  it('let one in for each key, and a blocked key blocks no other', async () => {
    const slots = createSlots(LIMITS)
    const leaveA = await slots.enter('a')
    const second = slots.enter('a')
    expect(await slots.enter('b')).toBeTypeOf('function')
    leaveA?.()
    expect(await second).toBeTypeOf('function')
  })

  it('turn away whoever waits too long, and continue', async () => {
    const slots = createSlots(LIMITS)
    const leave = await slots.enter('a')
    expect(await slots.enter('a')).toBeUndefined()
    leave?.()
    expect(await slots.enter('a')).toBeTypeOf('function')
  })

  it('turn away at once when too many wait', async () => {
    const slots = createSlots({ ...LIMITS, waitMs: 10_000 })
    await slots.enter('a')
    void slots.enter('a')
    void slots.enter('a')
    expect(await slots.enter('a')).toBeUndefined()
  })
})

describe('the fetcher', () => {
  it('visits one website once at a time, and different ones side by side', async () => {
    let now = 0
    const most = new Map<string, number>()
    const server = await startWebServer(async (socket, { headers }) => {
      now++
      const host = headers.host ?? ''
      most.set(host, Math.max(most.get(host) ?? 0, now))
      await sleep(30)
      now--
      respond(socket)
    })
    const fetchPage = fetcherFor(server, { limits: { atOnceMax: 3 } })
    const fetchAll = (...hosts: string[]) =>
      Promise.all(hosts.map(host => fetchPage(parseDestination(`http://${host}/`))))
    expect(await fetchAll('acme.com', 'acme.com', 'www.acme.com')).toMatchObject(
      Array(3).fill({ verdict: 'pass' }),
    )
    expect(Math.max(...most.values())).toBe(1)
    most.clear()
    expect(await fetchAll('a.com', 'b.com', 'c.com', 'd.com', 'e.com')).toMatchObject(
      Array(5).fill({ verdict: 'pass' }),
    )
    expect(Math.max(...most.values())).toBeGreaterThan(1)
    expect(Math.max(...most.values())).toBeLessThanOrEqual(3)
    await server.close()
  })

  it('cannot tell when the wait is too long', async () => {
    const server = await startWebServer(socket => setTimeout(() => respond(socket), 200))
    const fetchPage = fetcherFor(server, { limits: { waitMs: 50 } })
    const fetched = await Promise.all([1, 2].map(() => fetchPage(parseDestination('http://acme.com/'))))
    expect(fetched.map(({ verdict }) => verdict)).toEqual(['pass', 'cannot_tell'])
    await server.close()
  })
})
