import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { createPageFetcher } from '../../../../src/domain/review/fetcher/fetch-page.ts'
import { networksOf } from '../../../../src/platform/http/client-address.ts'
import { readers } from '../../../support/readers.ts'
import { respond, startWebServer } from '../../../support/web-server.ts'
import { fetcherFor, guardedFetcherFor } from './fetching.ts'

/** Limits of a visit that only a test that hangs reaches. */
const PATIENT = { totalMs: 600_000, connectMs: 600_000, headersMs: 600_000, waitMs: 600_000 }

describe('the fetcher', () => {
  it('visits one website once at a time, and different ones side by side', async () => {
    let isHeld = false
    const held: (() => void)[] = []
    let most = 0
    const server = await startWebServer(socket => {
      held.push(() => respond(socket))
      most = Math.max(most, held.length)
      if (!isHeld) release()
    })
    const release = () => {
      for (const answer of held.splice(0)) answer()
    }
    const fetchPage = fetcherFor(server, { limits: { atOnceMax: 3, ...PATIENT } })
    const fetchAll = (...hosts: string[]) =>
      Promise.all(hosts.map(host => fetchPage(parseDestination(`http://${host}/`))))
    const PASSED = { verdict: 'pass' }

    // Without a turn for each website, the first request would not be alone.
    isHeld = true
    const same = fetchAll('acme.com', 'acme.com', 'www.acme.com')
    for (let nth = 1; nth <= 3; nth++) {
      await expect.poll(() => held.length).toBe(1)
      expect(server.accepted()).toBe(nth)
      release()
    }
    expect(await same).toMatchObject(Array(3).fill(PASSED))
    expect(most).toBe(1)

    const different = fetchAll('a.com', 'b.com', 'c.com', 'd.com', 'e.com')
    await expect.poll(() => held.length).toBe(3)
    isHeld = false
    release()
    expect(await different).toMatchObject(Array(5).fill(PASSED))
    expect(most).toBe(3)
    await server.close()
  })

  it('lets one network wait for silent websites without keeping others from theirs', async () => {
    const asked = Promise.withResolvers<void>()
    let silent = 0
    const server = await startWebServer((socket, { headers }) => {
      if (!headers.host?.startsWith('silent')) return respond(socket)
      if (++silent === 6) asked.resolve()
    })
    const fetchPage = fetcherFor(server, { limits: { atOnceMax: 8, waitMs: 60_000, totalMs: 60_000 } })
    const networks = networksOf('198.51.100.1')
    const attacks = Array.from({ length: 12 }, (_, n) =>
      fetchPage(parseDestination(`http://silent-${n}.com/`), networks),
    )
    await asked.promise
    for (const n of [1, 2, 3]) {
      const destination = parseDestination(`http://honest-${n}.com/`)
      expect(await fetchPage(destination, networksOf('203.0.113.1'))).toMatchObject({ verdict: 'pass' })
    }
    expect(silent).toBe(6)
    await server.close()
    await Promise.all(attacks)
  })

  it('holds few large bodies at a time, and small ones beside them', async () => {
    const begun = Promise.withResolvers<void>()
    const large: Socket[] = []
    const page = '<!doctype html><title>Acme</title><p>Come in and look around.'
    const server = await startWebServer((socket, { headers }) => {
      if (headers.host === 'small.com') return respond(socket)
      if (headers.host === 'packed.com')
        return respond(socket, { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(page) })
      if (headers.host === 'later.com') return respond(socket, { body: page + ' '.repeat(100_000) })
      // More than the first block, and never the rest.
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 200000\r\n\r\n'
      socket.write(head + page + ' '.repeat(100_000))
      if (large.push(socket) === 3) begun.resolve()
    })
    const fetcher = guardedFetcherFor(server, { limits: { largeBodiesMax: 2, waitMs: 20, totalMs: 60_000 } })
    const fetchPage = createPageFetcher(fetcher, readers)
    const fetches = [1, 2, 3].map(n => fetchPage(parseDestination(`http://large-${n}.com/`)))
    await begun.promise
    expect(await Promise.race(fetches)).toEqual({
      verdict: 'cannot_tell',
      why: 'too many large bodies in progress',
      fault: 'busy',
    })
    expect(fetcher.use().busy).toBe(2)
    expect(await fetchPage(parseDestination('http://small.com/'))).toMatchObject({ verdict: 'pass' })
    // A small body can be unpacked to a large one.
    expect(await fetchPage(parseDestination('http://packed.com/'))).toMatchObject({ fault: 'busy' })
    for (const socket of large) socket.destroy()
    await Promise.all(fetches)
    for (let nth = 0; nth < 3; nth++)
      expect(await fetchPage(parseDestination('http://later.com/'))).toMatchObject({ verdict: 'pass' })
    await server.close()
  })

  it('cannot tell when the wait is too long', async () => {
    let answer = () => {}
    const server = await startWebServer(socket => {
      answer = () => respond(socket)
    })
    const fetchPage = fetcherFor(server, { limits: { ...PATIENT, waitMs: 1 } })
    const fetchAcme = () => fetchPage(parseDestination('http://acme.com/'))
    const first = fetchAcme()
    expect(await fetchAcme()).toMatchObject({ verdict: 'cannot_tell' })
    await expect.poll(() => server.heard.length).toBe(1)
    answer()
    expect(await first).toMatchObject({ verdict: 'pass' })
    await server.close()
  })
})
