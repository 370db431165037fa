import { type BoardPage, type ErrorBody, MAXIMUM_TARGET_USD } from '@placard/contract'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readBoard, readNeighbours } from '../../../src/domain/boards/board.ts'
import { count } from '../../../src/domain/boards/rank.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { emptyBoards } from '../../support/empty-boards.ts'
import { ENGINES } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { planOf, vacuum } from '../../support/plan.ts'
import { runs } from '../../support/runs.ts'
import { NOON, type Reply, reply, startTestService, type TestService } from '../../support/service.ts'

const MIDNIGHT = Date.UTC(2026, 10, 22)
const TODAY = '2026-11-21'

interface Paid {
  /** Its slug, and its key without the version. */
  name: string
  totalCents: number
  reachedAt?: number
  board?: string
  shown?: boolean
}

describe.each(ENGINES)('a board on %s', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    service.clock.now = NOON
    await clear()
  })

  async function clear(): Promise<void> {
    await emptyBoards(store.db)
    await store.db.deleteFrom('listing').execute()
  }

  /** Puts destinations on a board, as payments would. */
  async function pay(...all: Paid[]): Promise<void> {
    const totals = all.map(({ name, totalCents, reachedAt = NOON, board = 'all', shown = true }) => ({
      board,
      destinationKey: `2:${name}`,
      totalCents,
      reachedAt,
      shown: Number(shown),
      listingId: sql<number>`(select id from listing where "destinationKey" = ${`2:${name}`})`,
    }))
    await store.transact(async trx => {
      await trx
        .insertInto('listing')
        .values(
          all.map(({ name }) =>
            listingRow({ slug: name, title: `The page of ${name}`, expiresAt: null, language: '' }),
          ),
        )
        .onConflict(conflict => conflict.column('slug').doNothing())
        .execute()
      await trx.insertInto('board_total').values(totals).execute()
      const moves = totals
        .filter(({ shown }) => shown)
        .map(total => ({
          board: total.board,
          place: { totalCents: total.totalCents, reachedAt: total.reachedAt },
          by: 1 as const,
        }))
      await count(trx, moves)
    })
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1/boards/${path}`, { headers })
  const read = async <Body = BoardPage>(path: string): Promise<Reply<Body>> => reply(await get(path))
  const namesOf = ({ body }: Reply<BoardPage>) =>
    body.entries.map(({ rank, productUrl }) => `${rank} ${productUrl.split('/').at(-1)}`)

  it('shows rank, page, title, total and time, and says that its places are paid for', async () => {
    await pay({ name: 'bakery', totalCents: 2500, reachedAt: NOON - 1 })
    const { status, headers, body } = await read('all')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body).toEqual({
      board: 'all',
      placement: 'paid',
      notice: expect.stringMatching(/paid for.*verified payments in US dollars.*net of refunds and disputes/),
      currency: 'usd',
      day: null,
      endsAt: null,
      entries: [
        {
          rank: 1,
          id: expect.any(Number),
          productUrl: `${service.url}/product/bakery`,
          title: 'The page of bakery',
          totalCents: 2500,
          reachedAt: NOON - 1,
          ownerVerifiedSince: null,
        },
      ],
      nextCursor: null,
    })
  })

  it('is empty while nothing is paid', async () => {
    expect((await read('all')).body).toMatchObject({ entries: [], nextCursor: null })
  })

  it('puts higher totals first, then the earlier time, then the smaller key', async () => {
    await pay(
      { name: 'late', totalCents: 500, reachedAt: NOON },
      { name: 'more', totalCents: 501, reachedAt: NOON + 5 },
      { name: 'early', totalCents: 500, reachedAt: NOON - 1 },
      { name: 'b-same', totalCents: 500, reachedAt: NOON - 2 },
      { name: 'a-same', totalCents: 500, reachedAt: NOON - 2 },
      { name: 'most', totalCents: MAXIMUM_TARGET_USD * 100, reachedAt: NOON + 9 },
    )
    expect(namesOf(await read('all'))).toEqual(['1 most', '2 more', '3 a-same', '4 b-same', '5 early', '6 late'])
  })

  it('leaves out hidden listings, and ranks close up', async () => {
    await pay(
      { name: 'first', totalCents: 900 },
      { name: 'hidden', totalCents: 800, shown: false },
      { name: 'last', totalCents: 700 },
    )
    expect(namesOf(await read('all'))).toEqual(['1 first', '2 last'])
    const { body } = await read('all?limit=1')
    expect(namesOf(await read(`all?cursor=${body.nextCursor}`))).toEqual(['2 last'])
  })

  it('shows everybody once, in order and with whole ranks, whatever the ties and the size of a page', async () => {
    const place = fc.record({
      // Few values, so that many are equal; with cents, as refunds leave them.
      totalCents: fc.constantFrom(500, 501, 599, 600, 3200, 102_400, 99_999_900),
      reachedAt: fc.constantFrom(NOON, NOON + 1, NOON + 299_999, NOON + 300_000, NOON + 86_400_000),
      shown: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), async (places, limit) => {
        await clear()
        const all = places.map((each, index) => ({ ...each, name: `n${index}` }))
        if (all.length > 0) await pay(...all)
        const pages: Reply<BoardPage>[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const page: Reply<BoardPage> = await read(`all?limit=${limit}${cursor && `&cursor=${cursor}`}`)
          pages.push(page)
          expect(pages.length).toBeLessThanOrEqual(all.length + 1)
          cursor = page.body.nextCursor
        }
        const sorted = all
          .filter(({ shown }) => shown)
          .sort((a, b) => b.totalCents - a.totalCents || a.reachedAt - b.reachedAt || (a.name < b.name ? -1 : 1))
        expect(pages.flatMap(namesOf)).toEqual(sorted.map(({ name }, index) => `${index + 1} ${name}`))
        for (const { body } of pages.slice(0, -1)) expect(body.entries).toHaveLength(limit)
        expect(pages).toHaveLength(Math.max(1, Math.ceil(sorted.length / limit)))
      }),
      { numRuns: runs(engine === 'sqlite' ? 100 : 25) },
    )
  })

  it('continues after a place that no longer exists', async () => {
    await pay({ name: 'one', totalCents: 900 }, { name: 'two', totalCents: 800 }, { name: 'three', totalCents: 700 })
    const { nextCursor } = (await read('all?limit=2')).body
    await store.transact(async trx => {
      await trx.deleteFrom('board_total').where('destinationKey', '=', '2:two').execute()
      await count(trx, [{ board: 'all', place: { totalCents: 800, reachedAt: NOON }, by: -1 }])
    })
    expect(namesOf(await read(`all?cursor=${nextCursor}`))).toEqual(['2 three'])
  })

  it('holds fifty entries by default, and at most a hundred', async () => {
    await pay(...Array.from({ length: 101 }, (_, index) => ({ name: `n${index}`, totalCents: 500 })))
    expect((await read('all')).body.entries).toHaveLength(50)
    const { entries, nextCursor } = (await read('all?limit=100')).body
    expect(entries).toHaveLength(100)
    expect((await read(`all?limit=1&cursor=${nextCursor}`)).body).toMatchObject({
      entries: [{ rank: 101 }],
      nextCursor: null,
    })
  })

  it('of today counts the current UTC day, and resets at midnight', async () => {
    await pay(
      { name: 'bakery', totalCents: 900, board: TODAY },
      { name: 'before', totalCents: 800, board: '2026-11-20' },
      { name: 'after', totalCents: 700, board: '2026-11-22' },
    )
    service.clock.now = MIDNIGHT - 1
    const before = await read('today')
    expect(namesOf(before)).toEqual(['1 bakery'])
    expect(before.body).toMatchObject({ board: 'today', day: TODAY, endsAt: MIDNIGHT })
    service.clock.now = MIDNIGHT
    const after = await read('today')
    expect(namesOf(after)).toEqual(['1 after'])
    expect(after.body).toMatchObject({ day: '2026-11-22', endsAt: MIDNIGHT + 24 * 60 * 60 * 1000 })
  })

  it('accepts no cursor of another board, so that two days are never mixed', async () => {
    await pay(
      { name: 'a', totalCents: 900, board: TODAY },
      { name: 'b', totalCents: 800, board: TODAY },
      { name: 'c', totalCents: 700, board: '2026-11-22' },
    )
    const { nextCursor } = (await read('today?limit=1')).body
    expect(namesOf(await read(`today?cursor=${nextCursor}`))).toEqual(['2 b'])
    expect((await read<ErrorBody>(`all?cursor=${nextCursor}`)).body.code).toBe('invalid_cursor')
    service.clock.now = MIDNIGHT
    expect((await read<ErrorBody>(`today?cursor=${nextCursor}`)).body.code).toBe('invalid_cursor')
  })

  it('may be cached for ten seconds, and today’s never past midnight', async () => {
    const kept = async (board: string, now: number) => {
      service.clock.now = now
      return (await get(board)).headers.get('cache-control')
    }
    expect(await kept('all', NOON)).toBe('public, max-age=5, stale-while-revalidate=5, stale-if-error=300')
    expect(await kept('all', MIDNIGHT - 1)).toBe('public, max-age=5, stale-while-revalidate=5, stale-if-error=300')
    expect(await kept('today', NOON)).toBe('public, max-age=5, stale-while-revalidate=5, stale-if-error=300')
    expect(await kept('today', MIDNIGHT - 9_999)).toBe(
      'public, max-age=5, stale-while-revalidate=4, stale-if-error=300',
    )
    expect(await kept('today', MIDNIGHT - 1)).toBe('public, max-age=0, stale-while-revalidate=0, stale-if-error=300')
    expect(await kept('today', MIDNIGHT)).toBe('public, max-age=5, stale-while-revalidate=5, stale-if-error=300')
  })

  it('is not sent again to a client that has it, until money or midnight changes it', async () => {
    await pay({ name: 'bakery', totalCents: 900, board: TODAY })
    const first = await get('today')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    service.clock.now = MIDNIGHT - 1
    const again = await get('today', { 'if-none-match': etag })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect(again.headers.get('cache-control')).toBe('public, max-age=0, stale-while-revalidate=0, stale-if-error=300')
    await pay({ name: 'other', totalCents: 800, board: TODAY })
    expect((await get('today', { 'if-none-match': etag })).status).toBe(200)
    service.clock.now = MIDNIGHT
    const empty = await get('today', { 'if-none-match': etag })
    expect([empty.status, await empty.json()]).toMatchObject([200, { entries: [] }])
  })

  it('may be read from any origin, refusals too', async () => {
    for (const [path, status] of [
      ['all', 200],
      ['all?limit=0', 400],
    ] as const) {
      const response = await get(path, { origin: 'https://elsewhere.com', 'sec-fetch-site': 'cross-site' })
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, '*'])
    }
  })

  it('refuses what it does not know', async () => {
    const cursorOf = (text: string) => Buffer.from(text).toString('base64url')
    const good = cursorOf(`all 500 ${NOON} 1:a`)
    expect((await get(`all?cursor=${good}&limit=100`)).status).toBe(200)
    const cases: [path: string, status: number, code: string, field?: string][] = [
      ['week', 404, 'not_found'],
      ['All', 404, 'not_found'],
      ['', 404, 'not_found'],
      ['all/more', 404, 'not_found'],
      [TODAY, 404, 'not_found'],
      ...['0', '101', '-1', '1.5', '1e1', '05', '', '%201', '１', 'ten', '1&limit=1'].map(
        limit => [`all?limit=${limit}`, 400, 'invalid_limit', 'limit'] as [string, number, string, string],
      ),
      ...[
        '',
        'x',
        '%00',
        `${good}=`,
        `${good}A`,
        `${good}&cursor=${good}`,
        cursorOf(''),
        cursorOf(`all 500 ${NOON}`),
        cursorOf(`all 500 ${NOON} `),
        cursorOf(`all 0500 ${NOON} 1:a`),
        cursorOf(`all -500 ${NOON} 1:a`),
        cursorOf(`all 5e2 ${NOON} 1:a`),
        cursorOf(`all 9999999999999999 ${NOON} 1:a`),
        cursorOf(`all 500 ${NOON} 1:a\0`),
        cursorOf(`all 500 ${NOON} 1:\u00e9`),
        cursorOf(`today 500 ${NOON} 1:a`),
      ].map(cursor => [`all?cursor=${cursor}`, 400, 'invalid_cursor', 'cursor'] as [string, number, string, string]),
      ['all?page=2', 400, 'invalid_body', 'page'],
      ['all?limit=5&__proto__=1', 400, 'invalid_body', '__proto__'],
    ]
    for (const [path, status, code, field] of cases) {
      const error = await read<ErrorBody>(path)
      expect([path, error.status, error.body.code, error.body.field]).toEqual([path, status, code, field])
      expect(error.body.chargeCreated).toBe(false)
      expect(error.headers.get('cache-control')).toBe('no-store')
    }
    const post = await fetch(`${service.url}/api/v1/boards/all`, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('knows a bid’s neighbours', async () => {
    await pay(
      { name: 'top', totalCents: 90_000 },
      { name: 'early', totalCents: 2500, reachedAt: NOON - 1 },
      { name: 'late', totalCents: 2500 },
      { name: 'bakery', totalCents: 2499, reachedAt: NOON - 2 },
      { name: 'under', totalCents: 2499, reachedAt: NOON - 1 },
      { name: 'hidden', totalCents: 2499, reachedAt: NOON - 3, shown: false },
      { name: 'elsewhere', totalCents: 2499, board: TODAY },
    )
    const between = async (name: string, targetBid: number) => {
      const bid = { board: 'all' as const, destinationKey: `2:${name}`, targetBid }
      const { above, below } = await readNeighbours(store, bid, NOON)
      return [above, below].map(each => each && `${each.rank} ${each.slug}`)
    }
    expect(await between('new', 25)).toEqual(['3 late', '4 bakery'])
    expect(await between('bakery', 25)).toEqual(['3 late', '5 under'])
    expect(await between('late', 26)).toEqual(['1 top', '2 early'])
    expect(await between('new', 901)).toEqual([undefined, '1 top'])
    expect(await between('new', 5)).toEqual(['5 under', undefined])
    const [entry] = (await readBoard(store, { board: 'all', limit: 1 }, NOON)).rows
    expect(entry).toEqual({
      rank: 1,
      id: expect.any(Number),
      slug: 'top',
      title: 'The page of top',
      hostname: 'top.com',
      category: 'Games',
      description: '',
      language: '',
      pictureVersion: null,
      provenAt: null,
      destinationKey: '2:top',
      totalCents: 90_000,
      reachedAt: NOON,
    })
    await clear()
    expect(await readNeighbours(store, { board: 'all', destinationKey: '2:a', targetBid: 5 }, NOON)).toEqual({})
  })

  it('is read by its index, no further than a page, however many totals are equal', async () => {
    for (let start = 0; start < 12_000; start += 1000) {
      await pay(
        ...Array.from({ length: 1000 }, (_, index) => ({
          name: `n${start + index}`,
          totalCents: 500 + 100 * ((start + index) % 2),
          // Three at a time, and no more in five minutes than a page, since those are counted one by one.
          reachedAt: NOON + Math.floor((start + index) / 3) * 60_000,
        })),
      )
    }
    await vacuum(store)
    const limit = 20
    const after = { totalCents: 600, reachedAt: NOON, destinationKey: '2:n1' }
    const bid = { board: 'all' as const, destinationKey: '2:n1', targetBid: 6 }
    const plans = {
      first: await planOf(store, watched => readBoard(watched, { board: 'all', limit }, NOON)),
      next: await planOf(store, watched => readBoard(watched, { board: 'all', limit, after }, NOON)),
      neighbours: await planOf(store, watched => readNeighbours(watched, bid, NOON)),
    }
    for (const [name, { steps, mostRows }] of Object.entries(plans)) {
      expect([name, steps.filter(step => step.includes('listing'))]).not.toEqual([name, []])
      // On SQLite, SCAN also names reading the results of a search.
      // The newest `board_change` is the first row of a scan from its end.
      // This board's counts fill one PostgreSQL page, which it rightly reads whole.
      const wide = steps.filter(step =>
        /Seq Scan on (board_total|listing)|SCAN (board_(?!change)|listing)|AUTOMATIC|board_total USING PRIMARY/.test(
          step,
        ),
      )
      expect([name, wide]).toEqual([name, []])
      expect(mostRows).toBeLessThanOrEqual(limit + 1)
    }
    // The first page, which everybody reads, needs only the index.
    for (const { steps } of [plans.first, plans.neighbours]) {
      expect(steps.filter(step => /SORT|B-TREE/i.test(step))).toEqual([])
    }
  })
})

describe.each(ENGINES)('a board without evidence on %s', engine => {
  it('answers 503 instead of a board that may be wrong', async () => {
    const service = await startTestService({ engine })
    const store = await service.database.openStore()
    await store.db.schema.dropTable('board_total').execute()
    const response = await fetch(`${service.url}/api/v1/boards/all`)
    const { status, headers, body } = await reply<ErrorBody>(response)
    expect([status, body.code]).toEqual([503, 'payment_evidence_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('cache-control')).toBe('no-store')
    await service.stop()
  })
})
