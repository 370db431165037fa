// @module-tag slow
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { BOARDS_PATH, type BoardPage, type ErrorBody } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StaleCache } from '../../../src/domain/boards/first-page.ts'
import { utcDay } from '../../../src/platform/lib/time.ts'
import { startReceiver } from '../../platform/cdn/receiver.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON, quote, startTestService, type TestService } from '../../support/service.ts'

const HOUR_MS = 3_600_000

describe.each(SQLITE_FIRST)('while the database is away (%s)', engine => {
  let service: TestService
  let isGone: boolean
  let receiver: Awaited<ReturnType<typeof startReceiver>>

  beforeEach(async () => {
    isGone = false
    receiver = await startReceiver()
    service = await startTestService({ engine, env: { PURGE_URL: receiver.url } })
    await expect.poll(() => receiver.tags()).toEqual(['site'])
    const store = await service.database.openStore()
    await placeOnBoard(store, { oak: 5000, elm: 2500 })
    await placeOnBoard(store, { oak: 700 }, utcDay(NOON))
    await store.close()
  })
  afterEach(async () => {
    await service.stop()
    await receiver.close()
    if (!isGone) await service.database.remove()
  })

  const get = (path: string) => fetch(service.url + path, { headers: { accept: 'text/html' } })
  const textOf = async (path: string) => (await get(path)).text()
  const PAGES = ['/', '/board/all', '/board/today']
  const visit = () => Promise.all([...PAGES, `${BOARDS_PATH}/all`, `${BOARDS_PATH}/today?limit=7`].map(textOf))

  async function takeAway() {
    isGone = true
    if (engine === 'postgres') return service.database.remove()
    const store = await service.database.openStore()
    // The pages in memory count no more after a write by another connection.
    await store.proveWrite()
    for (const name of ['placard.db', 'placard.db-wal']) {
      // Left open: closing it would end the locks of this process on it.
      writeSync(openSync(join(service.database.dataDir, name), 'r+'), Buffer.alloc(1024 * 1024, 0xff))
    }
  }

  test('home and the boards show what was last read, say from when it is, and sell nothing', async () => {
    await visit()
    await takeAway()
    service.clock.now += HOUR_MS
    for (const path of PAGES) {
      const response = await get(path)
      const html = await response.text()
      expect([path, response.status, response.headers.get('age')]).toEqual([path, 200, '3600'])
      expect(response.headers.get('warning')).toBe('110 - "Response is Stale"')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect(response.headers.get('surrogate-key')).toBeNull()
      expect(html).toContain('/product/oak')
      expect(html).toMatch(/The boards are as of <time[^>]*>21 November 2026, 12:00 UTC/)
      expect(html).not.toMatch(/Take No\.|for \$|from \$|data-live=|\/picture\/|Buy a place from|What you pay now/)
    }
    const all = await get(`${BOARDS_PATH}/all`)
    const page = (await all.json()) as BoardPage
    expect([all.status, all.headers.get('age'), page.nextCursor]).toEqual([200, '3600', null])
    expect(page.notice).toContain('as of 2026-11-21T12:00:00.000Z')
    expect(page.entries.map(({ totalCents }) => totalCents)).toEqual([5000, 2500])
    const body = { destination: 'https://oak.com/', category: 'Games', board: 'all', targetBid: 60 }
    const asked = await quote<ErrorBody>(service, body)
    expect([asked.status, asked.body.code]).toEqual([503, 'payment_evidence_unavailable'])
  })

  test('the data of a board speaks of buying only where places are sold', async () => {
    const noticeOf = async () => ((await (await get(`${BOARDS_PATH}/all`)).json()) as BoardPage).notice
    await visit()
    await takeAway()
    expect(await noticeOf()).toMatch(/as of \S+Z\. No place can be bought until it is back\.$/)
    await service.stop()
    service = await startTestService({ engine, env: { PAYMENTS: 'none' } })
    const store = await service.database.openStore()
    await placeOnBoard(store, { oak: 5000 })
    await store.close()
    await visit()
    await takeAway()
    expect(await noticeOf()).toMatch(/These are only the first places, as of \S+Z\.$/)
  })

  test('nothing older than a day is shown, and yesterday’s board is not today’s', async () => {
    await visit()
    await takeAway()
    service.clock.now += 13 * HOUR_MS
    expect((await get('/board/today')).status).toBe(503)
    expect((await get(`${BOARDS_PATH}/today?limit=7`)).status).toBe(503)
    expect((await get('/board/all')).status).toBe(200)
    const home = await textOf('/')
    expect(home).toContain('We can’t read this board right now')
    service.clock.now += 12 * HOUR_MS
    for (const path of PAGES) expect([path, (await get(path)).status]).toEqual([path, 503])
  })

  test('a listing that was hidden is not shown any more, without a visit in between', async () => {
    await visit()
    const drop = vi.spyOn(StaleCache.prototype, 'drop')
    await operateHere(service.database.env, 'hide', 'elm', '--reason', 'First')
    await expect.poll(() => drop.mock.settledResults.map(({ type }) => type)).toContain('fulfilled')
    drop.mockRestore()
    await takeAway()
    for (const path of PAGES) {
      const html = await textOf(path)
      expect(html).toContain('/product/oak')
      expect(html).not.toContain('/product/elm')
    }
  })

  test('a page that was never visited is not kept', async () => {
    await takeAway()
    for (const path of PAGES) expect([path, (await get(path)).status]).toEqual([path, 503])
  })
})
