import { createHash } from 'node:crypto'
import { EMPTY_ROOT } from '@placard/contract/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordDecision } from '../../../src/domain/decisions/record.ts'
import { drawToday, Lots } from '../../../src/domain/featured/draw.ts'
import { readPicks } from '../../../src/domain/featured/feature.ts'
import { readCandidatesPage, readDraw, readDrawn } from '../../../src/domain/featured/read-draw.ts'
import { logTree } from '../../../src/domain/log/tree-of-store.ts'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { follow } from '../../../src/domain/notifications/owner/feed.ts'
import { noticeLetter } from '../../../src/domain/notifications/owner/mail-message.ts'
import { readNotices } from '../../../src/domain/notifications/owner/notice.ts'
import { drawByLot } from '../../../src/ops/jobs/draw-by-lot.ts'
import { Jobs } from '../../../src/ops/jobs/runner.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { DAY_MS, daysMs, HOUR_MS, utcDay } from '../../../src/platform/lib/time.ts'
import { logNow } from '../../support/all-logged.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { planOf } from '../../support/plan.ts'

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const MIDNIGHT = Date.UTC(2026, 10, 22)
const DAY = '2026-11-22'
const BEFORE = MIDNIGHT - HOUR_MS

describe.each(SQLITE_FIRST)('the daily draw on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterEach(() => database.remove())

  const list = (slugs: readonly string[], fields: Partial<Parameters<typeof listingRow>[0]> = {}) =>
    store.db
      .insertInto('listing')
      .values(slugs.map(slug => listingRow({ publishedAt: BEFORE, ...fields, slug })))
      .execute()

  const decide = async (at: number) => {
    await store.transact(trx =>
      recordDecision(trx, {
        ...{ kind: 'block', ground: 'rules/operator', reason: 'test', facts: {}, actor: 'operator:Ada', at },
      }),
    )
    await logNow(store, () => at)
  }

  const many = (count: number) => Array.from({ length: count }, (_, at) => `site-${at}`)
  const drawnSlugs = async (day: string, now: number) => (await readDrawn(store, day, now)).map(({ slug }) => slug)

  it('draws by the root of the log at midnight, and stores everything to repeat it', async () => {
    await list(many(25))
    await decide(BEFORE)
    await decide(MIDNIGHT + 1)
    expect(await drawToday(store, MIDNIGHT + 5, { perPage: 10 })).toBe(DAY)
    const draw = await readDraw(store, DAY, MIDNIGHT + 5)
    // The first entry says only that the log began.
    const seed = (await logTree(store).rootAt(2)).toString('hex')
    expect(draw).toMatchObject({ algorithm: 1, seed, logSize: 2, candidates: 25, pages: 3 })

    const pages = await Promise.all([1, 2, 3].map(page => readCandidatesPage(store, DAY, page)))
    const text = pages.map(page => page?.body.toString()).join('')
    expect(createHash('sha256').update(text).digest('hex')).toBe(draw?.candidatesHash)
    const slugs = text.trim().split('\n')
    expect(slugs.toSorted()).toEqual(many(25).toSorted())
    const lots = new Lots(seed)
    for (const [id, slug] of slugs.entries()) lots.add({ id, slug })
    expect(draw?.drawn.map(({ slug }) => slug)).toEqual(lots.drawn().map(({ slug }) => slug))
    expect(await readCandidatesPage(store, DAY, 4)).toBeUndefined()
  })

  it('is found by the audit if its seed or its listings were changed', async () => {
    await list(many(25))
    await decide(BEFORE)
    await drawToday(store, MIDNIGHT)
    // Its entries wait for the next pass, and count already.
    const faultNow = async () => (await verifyLog(store, MIDNIGHT)).fault
    expect(await faultNow()).toBeUndefined()
    await logNow(store, () => MIDNIGHT)
    expect(await faultNow()).toBeUndefined()
    // The next draw has the size that the log had by then.
    await drawToday(store, MIDNIGHT + DAY_MS)
    await logNow(store, () => MIDNIGHT + DAY_MS)
    expect(await faultNow()).toBeUndefined()

    const { seed } = await store.db.selectFrom('draw').select('seed').executeTakeFirstOrThrow()
    const setSeed = (to: string) => store.db.updateTable('draw').set({ seed: to }).execute()
    await setSeed('ab'.repeat(32))
    expect(await faultNow()).toBe(`the draw of ${DAY} has a seed that is not the root of the log at its size`)
    await setSeed(seed)
    await store.db.updateTable('draw').set({ logSize: 1 }).execute()
    expect(await faultNow()).toMatch(/has a seed that is not the root of the log at its size/)
    await store.db.updateTable('draw').set({ logSize: 2 }).execute()
    await store.db.deleteFrom('drawn_listing').where('place', '=', 10).execute()
    expect(await faultNow()).toMatch(new RegExp(`^the listings drawn on ${DAY} are (\\d+, ){8}\\d+, but by the log`))
  })

  it('leaves out what is new, ended, hidden, excluded or drawn in the last thirty days', async () => {
    await list(['kept'])
    await list(['new'], { publishedAt: MIDNIGHT })
    await list(['ended'], { expiresAt: MIDNIGHT - 1 })
    await list(['hidden'], { hiddenAt: BEFORE, hiddenBy: 'operator' })
    await list(['excluded'])
    const excluded = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', 'excluded')
      .executeTakeFirstOrThrow()
    await store.db
      .insertInto('draw_exclusion')
      .values({ listingId: excluded.id, decisionId: 'x', at: BEFORE })
      .execute()
    await list(['paid'], { expiresAt: null })

    await drawToday(store, MIDNIGHT)
    expect((await drawnSlugs(DAY, MIDNIGHT)).toSorted()).toEqual(['kept', 'paid'])
    const days: Record<string, string[]> = {}
    for (let day = 1; day <= 30; day++) {
      const now = MIDNIGHT + daysMs(day)
      await logNow(store, () => now)
      await drawToday(store, now)
      days[day] = await drawnSlugs(utcDay(now), now)
    }
    expect(days[1]).toEqual(['new'])
    expect(days[29]).toEqual([])
    expect(days[30]?.toSorted()).toEqual(['kept', 'paid'])
  })

  it('draws fewer than ten, and on an empty site none', async () => {
    await drawToday(store, MIDNIGHT)
    expect(await readDraw(store, DAY, MIDNIGHT)).toMatchObject({
      seed: EMPTY_ROOT.toString('hex'),
      logSize: 0,
      candidates: 0,
      pages: 0,
      drawn: [],
    })
    await list(many(3))
    await logNow(store, () => MIDNIGHT)
    await drawToday(store, MIDNIGHT + DAY_MS)
    expect(await drawnSlugs('2026-11-23', MIDNIGHT + DAY_MS)).toHaveLength(3)
  })

  it('waits for decisions from before midnight that are not in the log yet, at whatever time the service starts', async () => {
    await list(many(3))
    await store.transact(trx =>
      recordDecision(trx, {
        ...{ kind: 'block', ground: 'rules/operator', reason: 'test', facts: {}, actor: 'operator:Ada', at: BEFORE },
      }),
    )
    const now = MIDNIGHT + 9 * HOUR_MS
    expect(await drawToday(store, now)).toBeUndefined()
    await logNow(store, () => now)
    expect(await drawToday(store, now)).toBe(DAY)
    await logNow(store, () => now)
    expect((await verifyLog(store, now)).fault).toBeUndefined()
  })

  it('draws once, if two processes draw at the same time', async () => {
    await list(many(40))
    const other = await database.openStore()
    const drew = await Promise.all([
      drawToday(store, MIDNIGHT),
      drawToday(other, MIDNIGHT + 1),
      drawToday(store, MIDNIGHT + 2),
    ])
    expect(drew.filter(day => day === DAY)).toHaveLength(1)
    expect(await drawnSlugs(DAY, MIDNIGHT + 2)).toHaveLength(10)
  })

  it('leaves nothing of a draw that was cut off', async () => {
    await list(many(25))
    let pages = 0
    const signal = { throwIfAborted: () => pages++ === 0 && stop() } as unknown as AbortSignal
    const stop = () => {
      throw new Error('killed')
    }
    await expect(drawToday(store, MIDNIGHT, { signal, perPage: 10 })).rejects.toThrow('killed')
    // And one whose transaction fails at its last row.
    const failing: Store = {
      ...store,
      transact: work =>
        store.transact(async trx => {
          await work(trx)
          throw new Error('killed')
        }),
    }
    await expect(drawToday(failing, MIDNIGHT)).rejects.toThrow('killed')
    expect(await readDraw(store, DAY, MIDNIGHT)).toBeUndefined()
    expect(await drawToday(store, MIDNIGHT + HOUR_MS)).toBe(DAY)
    expect(await drawnSlugs(DAY, MIDNIGHT + HOUR_MS)).toHaveLength(10)
  })

  it('misses a day on which nothing ran, and repeats none if the clock is set back', async () => {
    await list(many(25))
    const clock = { now: MIDNIGHT }
    const step = drawByLot.start({ clock: () => clock.now, log: SILENT })
    const run = (isFirst = false) => step({ store, signal: new AbortController().signal, isFirst })
    await run(true)
    const drawn = await drawnSlugs(DAY, clock.now)
    await logNow(store, () => clock.now)
    clock.now = MIDNIGHT + 2 * DAY_MS + 5 * HOUR_MS
    await run()
    expect(await readDraw(store, '2026-11-23', clock.now)).toBeUndefined()
    expect(await readDraw(store, '2026-11-24', clock.now)).toMatchObject({ at: clock.now })
    clock.now = MIDNIGHT + HOUR_MS
    await run()
    await run(true)
    expect(await drawnSlugs(DAY, clock.now)).toEqual(drawn)
    const all = await store.db.selectFrom('drawn_listing').select('listingId').execute()
    expect(new Set(all.map(({ listingId }) => listingId)).size).toBe(20)
  })

  it('is repeated if the database goes back to before it', async () => {
    await list(many(12))
    const step = drawByLot.start({ clock: () => MIDNIGHT, log: SILENT })
    const run = (isFirst = false) => step({ store, signal: new AbortController().signal, isFirst })
    await run(true)
    const drawn = await drawnSlugs(DAY, MIDNIGHT)
    for (const table of ['drawn_listing', 'draw_candidates', 'draw', 'log_outbox'] as const) {
      await store.db.deleteFrom(table).execute()
    }
    await run()
    expect([drawn.length, await drawnSlugs(DAY, MIDNIGHT)]).toEqual([10, drawn])
  })

  it('is run by the jobs', async () => {
    await list(many(12))
    const clock = () => MIDNIGHT
    const step = drawByLot.start({ clock, log: SILENT })
    const jobs = new Jobs({ store, clock, log: SILENT }, [{ ...drawByLot, step }])
    jobs.start()
    await expect.poll(() => drawnSlugs(DAY, MIDNIGHT)).toHaveLength(10)
    await jobs.close()
  })

  it('tells the owners who follow their listing, by notice and mail', async () => {
    await list(['followed', 'unfollowed'])
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', 'followed')
      .executeTakeFirstOrThrow()
    await store.transact(trx => follow(trx, id, BEFORE))
    const address = { id: 'a', listingId: id, address: 'x', keyCheckValue: 'x', addressHash: 'x', at: BEFORE }
    await store.db
      .insertInto('owner_mail')
      .values({ ...address, choices: 'drawn', confirmedAt: BEFORE })
      .execute()
    await drawToday(store, MIDNIGHT)
    const place = (await readDraw(store, DAY, MIDNIGHT))?.drawn.find(({ slug }) => slug === 'followed')?.place
    const facts = { day: DAY, place }
    expect(await readNotices(store, id, 5)).toMatchObject([{ kind: 'drawn', at: MIDNIGHT, facts }])
    expect(await store.db.selectFrom('notice').select('listingId').execute()).toHaveLength(1)
    const mails = await store.db.selectFrom('outgoing_mail').select(['kind', 'facts']).execute()
    expect(mails).toEqual([{ kind: 'drawn', facts: JSON.stringify(facts) }])

    const links = new Links({ baseUrl: 'https://placard.example.org', supportUrl: undefined })
    const listing = { slug: 'followed', title: 'Followed', url: 'https://followed.com/', category: 'Games' }
    const letter = noticeLetter(
      { listing, privatePage: links.privatePage('c'), links },
      { kind: 'drawn', facts: { day: DAY, place: 2 } },
    )
    expect(letter).toMatchObject({
      subject: 'followed.com was drawn by lot',
      button: { href: `${links.base}/draw/${DAY}` },
    })
    // Few listings make a short draw.
    expect(letter.lines.join(' ')).toMatch(/until midnight UTC, drawn as number 2\. /)
    expect(letter.lines.join(' ')).not.toMatch(/\bten\b/)
  })

  it('has picks beside it, which are read without visiting other listings', async () => {
    await list(many(50))
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', 'site-7')
      .executeTakeFirstOrThrow()
    const pick = { note: 'Good bread.', pickedBy: 'Ada', at: BEFORE, endedAt: null }
    await store.db
      .insertInto('pick')
      .values({ id: 'a', listingId: id, ...pick })
      .execute()
    expect((await readPicks(store, { now: MIDNIGHT, limit: 10 })).map(({ slug }) => slug)).toEqual(['site-7'])
    const { steps } = await planOf(store, watched => readPicks(watched, { now: MIDNIGHT, limit: 10 }))
    // On PostgreSQL, a table that is so small is rightly read whole.
    const ofListings = steps.filter(step => engine === 'sqlite' && /\blisting\b/.test(step))
    expect(ofListings.filter(step => !step.includes('INTEGER PRIMARY KEY'))).toEqual([])
  })

  it('shows no listing that was hidden later', async () => {
    await list(many(2))
    await drawToday(store, MIDNIGHT)
    await store.db
      .updateTable('listing')
      .set({ hiddenAt: MIDNIGHT + 1, hiddenBy: 'operator' })
      .where('slug', '=', 'site-0')
      .execute()
    expect(await drawnSlugs(DAY, MIDNIGHT + 2)).toEqual(['site-1'])
    expect((await readDraw(store, DAY, MIDNIGHT + 2))?.drawn.filter(({ isShown }) => isShown === 0)).toMatchObject([
      { slug: 'site-0' },
    ])
  })
})
