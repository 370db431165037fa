import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordDecision } from '../../../../src/domain/decisions/record.ts'
import { readTraffic } from '../../../../src/domain/listings/traffic.ts'
import { decideAppeal } from '../../../../src/domain/moderation/appeals/decide-appeal.ts'
import { appealDecision } from '../../../../src/domain/moderation/appeals/routes.ts'
import { hideListing } from '../../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../../src/domain/payments/apply-event.ts'
import { reconcile } from '../../../../src/domain/payments/reconcile.ts'
import { type Attempt, findAttempt, reopenAttempt } from '../../../../src/domain/publishing/attempts.ts'
import { deleteDueRows } from '../../../../src/ops/jobs/delete-old-rows.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { CONTEST_DAYS, FACTS_DAYS } from '../../../../src/platform/db/tables/decisions.ts'
import { RETENTION_RULES } from '../../../../src/platform/db/tables/index.ts'
import { daysMs, utcDay } from '../../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../../support/engines.ts'
import { clearLedger, eventOf, ledgerOf, openTestCheckout } from '../../../support/ledger.ts'
import { listingRow } from '../../../support/listing-row.ts'
import { noteQueries } from '../../../support/plans.ts'
import {
  type Credentials,
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../../support/service.ts'
import { goodPage } from '../../../support/sites.ts'

const PER_CLIENT = 2

describe.each(SQLITE_FIRST)('old data, on %s', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1', LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: String(PER_CLIENT) }
    service = await startTestService({ engine, env })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.clock.now = NOON
  })

  /** Runs the whole job, `days` days after noon. */
  const deleteAfter = (days: number, at = store) =>
    deleteDueRows({ store: at, clock: () => NOON + daysMs(days) }, new AbortController().signal)

  let clients = 0
  const newClient = () => `203.0.113.${++clients}`
  const send = (credentials: Credentials, host: string, client = newClient()) =>
    publish(service, credentials, publishBody(`http://${host}/`), { 'x-forwarded-for': client })

  it('is said for every table there is', async () => {
    const tables = await store.db.introspection.getTables()
    const ours = tables
      .map(({ name }) => name)
      .filter(name => !/^(kysely_|listing_search|search_word_|sqlite_)/.test(name))
    expect(ours.sort()).toEqual([...new Set(RETENTION_RULES.map(({ table }) => table))].sort())
  })

  describe('of submissions', () => {
    it('is a refusal, which is repeated until then and reviewed again after', async () => {
      const [refused, published] = [newCredentials(), newCredentials()]
      service.sites.set('later-good.com', (_request, response) => response.writeHead(404).end())
      const first = await send(refused, 'later-good.com')
      expect([first.status, (await send(published, 'good.com')).status]).toEqual([422, 201])

      await deleteAfter(FACTS_DAYS)
      service.clock.now += daysMs(FACTS_DAYS)
      const again = await send(refused, 'later-good.com')
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([422, 'true'])
      expect(again.body).toEqual(first.body)
      expect(service.sites.visits('later-good.com')).toBe(1)

      expect(await deleteAfter(FACTS_DAYS + 1)).toMatchObject({ attempt: 1 })
      const anew = await send(refused, 'later-good.com')
      expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([422, null])
      expect(service.sites.visits('later-good.com')).toBe(2)
      // A published submission returns its receipt forever.
      const receipt = await send(published, 'good.com')
      expect([receipt.status, receipt.body.status]).toEqual([200, 'expired'])
    })

    it('waits for the time to appeal, however long after the first try it was refused or reopened', async () => {
      const late = newCredentials()
      service.sites.set('late.com', (_request, response) => response.writeHead(503).end())
      expect((await send(late, 'late.com')).status).toBe(503)
      service.clock.now += daysMs(FACTS_DAYS - 1)
      service.sites.set('late.com', (_request, response) => response.writeHead(404).end())
      const { body } = await send(late, 'late.com')
      expect(body.code).toBe('review_rejected')
      await deleteAfter(FACTS_DAYS + 1)
      const now = service.clock.now + daysMs(CONTEST_DAYS)
      service.clock.now = now
      const attempt = () =>
        store.db.selectFrom('attempt').select(['state']).where('idempotencyKey', '=', late.key).executeTakeFirst()
      expect(await attempt()).toEqual({ state: 'rejected' })
      const { requestId } = (await findAttempt(store, late.key)) as Attempt
      await store.transact(trx => reopenAttempt(trx, requestId, null, now))
      await deleteAfter(2 * FACTS_DAYS)
      expect(await attempt()).toEqual({ state: 'reviewing' })
      await deleteAfter(3 * FACTS_DAYS)
      expect(await attempt()).toBeUndefined()
    })

    it('waits for the decision on an appeal, which can still be granted', async () => {
      const [appealed, other] = [newCredentials(), newCredentials()]
      for (const host of ['slow-appeal.com', 'no-appeal.com']) {
        service.sites.set(host, (_request, response) => response.writeHead(404).end())
      }
      await send(other, 'no-appeal.com')
      const { headers } = await send(appealed, 'slow-appeal.com')
      const id = headers.get('placard-decision') ?? ''
      await appealDecision(store, id, 'We are a bakery.', 'owner', service.clock.now)
      await deleteAfter(2 * FACTS_DAYS)
      const left = store.db.selectFrom('attempt').select('idempotencyKey').where('state', '=', 'rejected')
      expect(await left.execute()).toEqual([{ idempotencyKey: appealed.key }])
      const facts = store.db.selectFrom('decision').select('facts').where('id', '=', id)
      expect((await facts.executeTakeFirstOrThrow()).facts).not.toBeNull()
      service.clock.now += daysMs(2 * FACTS_DAYS)
      await decideAppeal(store, id, 'reversed', { name: 'Ada', explanation: 'It is.' }, service.clock.now)
      service.sites.set('slow-appeal.com', goodPage)
      expect((await send(appealed, 'slow-appeal.com')).status).toBe(201)
      await deleteAfter(4 * FACTS_DAYS)
      expect((await facts.executeTakeFirstOrThrow()).facts).toBeNull()
    })

    it('does not include the current day’s counts, nor an attempt under review', async () => {
      const client = newClient()
      for (let count = 0; count < PER_CLIENT; count++) {
        service.sites.set(`bad-${count}.com`, (_request, response) => response.writeHead(404).end())
        expect((await send(newCredentials(), `bad-${count}.com`, client)).status).toBe(422)
      }
      for (const days of [0, 1]) {
        await deleteAfter(days)
        expect((await send(newCredentials(), 'one-more.com', client)).body.code).toBe('quota_ip')
      }
      // Old, never finished, and resumed just now.
      const [row] = await store.db.selectFrom('attempt').selectAll().where('state', '=', 'rejected').execute()
      if (!row) throw new Error('nothing was refused')
      const under = { state: 'reviewing', leaseId: 'x', leaseUntil: NOON + daysMs(3 * FACTS_DAYS) } as const
      const old = { requestId: 'old', idempotencyKey: 'old', day: '2026-01-01', clientHash: 'old' }
      await store.db
        .insertInto('attempt')
        .values({ ...row, ...under, ...old, createdAt: 0 })
        .execute()
      await deleteAfter(3 * FACTS_DAYS)
      const left = store.db.selectFrom('attempt').select('requestId').where('state', '<>', 'published')
      expect(await left.execute()).toEqual([{ requestId: 'old' }])
    })

    it('is the hash of a client once its day is over', async () => {
      const client = newClient()
      for (const name of ['a', 'b']) await send(newCredentials(), `by-${name}.com`, client)
      await send(newCredentials(), 'by-c.com')
      const hashes = async () => {
        const rows = await store.db.selectFrom('attempt').select('clientHash').distinct().execute()
        return rows.map(row => row.clientHash)
      }
      const before = await hashes()
      await deleteAfter(1)
      expect(await hashes()).toEqual(before)
      await deleteAfter(2)
      expect(await hashes()).toEqual([''])
    })
  })

  describe('of orders', () => {
    beforeEach(async () => {
      await clearLedger(store)
      await store.db.deleteFrom('checkout').execute()
    })
    const orders = async () => {
      const rows = await store.db.selectFrom('checkout').select('hostname').orderBy('hostname').execute()
      return rows.map(row => row.hostname)
    }

    it('is one that nobody paid, and none that its processor said anything of', async () => {
      const [paid, pending] = [await openTestCheckout(store, 'paid.com'), await openTestCheckout(store, 'pending.com')]
      await openTestCheckout(store, 'unpaid.com')
      const { checkoutId } = await openTestCheckout(store, 'later.com')
      const createdAt = NOON + daysMs(30)
      await store.db.updateTable('checkout').set({ createdAt }).where('id', '=', checkoutId).execute()
      await applyEvent(store, eventOf('paid', 'pi_paid', { checkout: paid }), NOON)
      await applyEvent(store, eventOf('pending', 'pi_pending', { checkout: pending }), NOON)
      await deleteAfter(90)
      expect(await orders()).toEqual(['later.com', 'paid.com', 'pending.com', 'unpaid.com'])
      expect(await deleteAfter(91)).toMatchObject({ checkout: 3 })
      expect(await orders()).toEqual(['later.com', 'paid.com', 'pending.com'])
      // Those that stay are not looked at again.
      // The service may have warned that the database went back, because this test clears the ledger under it.
      const { warning: _warning, ...others } = await deleteAfter(92)
      expect(others).toEqual({})
      await applyEvent(store, eventOf('paid', 'pi_pending', { checkout: pending }), NOON + daysMs(92))
      const { differences, payments } = await reconcile(store, NOON + daysMs(92))
      expect([differences, payments]).toEqual([[], 2])
      await deleteAfter(121)
      expect(await orders()).toEqual(['paid.com', 'pending.com'])
    })

    it('leaves more than one step can decide on in one run', async () => {
      const { checkoutId } = await openTestCheckout(store, 'many.com')
      await sql`
        insert into checkout (id, processor, "sessionId", "destinationKey", url, hostname, category, board, "targetBid",
          "amountCents", page, "provedBy", "rulesVersion", "createdAt")
        with recursive n(n) as (select 1 union all select n + 1 from n where n < 1600)
        select 'co_' || n, processor, 'cs_' || n, "destinationKey", url, hostname, category, board, "targetBid",
          "amountCents", page, "provedBy", "rulesVersion", "createdAt"
        from checkout, n where id = ${checkoutId}`.execute(store.db)
      expect(await deleteAfter(91)).toMatchObject({ checkout: 1601 })
      expect(await orders()).toEqual([])
    })

    it('is a count of destinations that came to nothing, at once', async () => {
      const checkout = await openTestCheckout(store, 'moved.com')
      await applyEvent(store, eventOf('paid', 'pi_moved', { checkout }), NOON)
      await applyEvent(store, eventOf('refunded', 'pi_moved', { amountCents: 1000 }), NOON)
      const { slug } = await store.db.selectFrom('listing').select('slug').executeTakeFirstOrThrow()
      const counts = () =>
        store.db.selectFrom('board_count').select(['level', 'destinations']).where('board', '=', 'all').execute()
      expect(await counts()).toEqual([3, 4, 5].map(level => ({ level, destinations: 1 })))
      const before = await ledgerOf(store)
      await deleteAfter(0)
      expect(await ledgerOf(store)).toEqual(before)
      await hideListing(store, slug, 'test', NOON)
      expect(await counts()).toEqual([])
      expect((await reconcile(store, NOON)).differences).toEqual([])
    })
  })

  it('is a report that was settled, and none that is open or whose appeal waits', async () => {
    const listing = await store.db.selectFrom('listing').select('id').limit(1).executeTakeFirstOrThrow()
    const report = { listingId: listing.id, reason: 'other', contact: 'me@mail.com', createdAt: 0 }
    await store.db
      .insertInto('report')
      .values([
        { ...report, details: 'open' },
        { ...report, details: 'settled', settledAt: NOON, settlement: 'hid it' },
        { ...report, details: 'appealed', settledAt: NOON, settlement: 'kept it' },
      ])
      .execute()
    const { id: reportId } = await store.db
      .selectFrom('report')
      .select('id')
      .where('details', '=', 'appealed')
      .executeTakeFirstOrThrow()
    const about = { listingId: listing.id, reportId, at: NOON, ground: 'rules/appeals' } as const
    const settled = await store.transact(trx =>
      recordDecision(trx, { ...about, kind: 'settle', reason: 'listing_kept', actor: 'operator:Ada', facts: {} }),
    )
    await appealDecision(store, settled, 'Look again.', 'reporter', NOON)
    const left = async () => {
      const rows = await store.db.selectFrom('report').select('details').orderBy('id').execute()
      return rows.map(row => row.details)
    }
    await deleteAfter(FACTS_DAYS)
    expect(await left()).toEqual(['open', 'settled', 'appealed'])
    await deleteAfter(FACTS_DAYS + 1)
    expect(await left()).toEqual(['open', 'appealed'])
    await decideAppeal(store, settled, 'upheld', { name: 'Ben', explanation: 'No.' }, NOON)
    await deleteAfter(FACTS_DAYS + 1)
    expect(await left()).toEqual(['open'])
  })

  it('is a mark of a board that nobody looked at for a week', async () => {
    const mark = { board: 'all', destinationKey: '', rank: 1 }
    await store.db
      .insertInto('board_mark')
      .values([
        { ...mark, at: NOON - daysMs(8) },
        { ...mark, at: NOON - daysMs(6) },
      ])
      .execute()
    await deleteAfter(0)
    expect(await store.db.selectFrom('board_mark').select('at').execute()).toEqual([{ at: NOON - daysMs(6) }])
  })

  it('are single days of views and clicks, whose sums and last days stay what they were', async () => {
    const other = await service.database.openStore()
    const ids: number[] = []
    for (let index = 0; index < 12; index++) {
      const row = listingRow({ slug: `seen-${index}` })
      const { id } = await store.db.insertInto('listing').values(row).returning('id').executeTakeFirstOrThrow()
      ids.push(id)
      const days = Array.from({ length: 200 }, (_, ago) => ({
        listingId: id,
        day: utcDay(NOON - daysMs(ago)),
        views: index * ago + 1,
        clicks: ago % 3,
      }))
      await store.db.insertInto('listing_day').values(days).execute()
    }
    const sums = () =>
      store.db
        .selectFrom('listing_day')
        .select(['listingId', sql<number>`cast(sum(views) as bigint)`.as('views')])
        .select(sql<number>`cast(sum(clicks) as bigint)`.as('clicks'))
        .groupBy('listingId')
        .orderBy('listingId')
        .execute()
    const lastDays = () => Promise.all(ids.map(id => readTraffic(store, id, { days: 90, now: NOON })))
    const [sumsBefore, daysBefore] = [await sums(), await lastDays()]
    // Two instances at once share the work, and count nothing twice.
    const done = await Promise.all([deleteAfter(0), deleteAfter(0, other)])
    expect(done.reduce((sum, { listing_day = 0 }) => sum + listing_day, 0)).toBe(12 * 109)
    expect([await sums(), await lastDays()]).toEqual([sumsBefore, daysBefore])
    const rows = await store.db
      .selectFrom('listing_day')
      .select('day')
      .where('listingId', '=', ids[0] ?? 0)
      .orderBy('day')
      .execute()
    expect(rows.slice(0, 5).map(row => row.day)).toEqual(['2026-05', '2026-06', '2026-07', '2026-08', '2026-08-23'])
    expect(rows).toHaveLength(4 + 91)
    // What came in late for a day that was folded joins its month.
    await store.db
      .insertInto('listing_day')
      .values({ listingId: ids[0] ?? 0, day: '2026-05-30', views: 1000, clicks: 0 })
      .execute()
    await deleteAfter(0)
    expect((await sums())[0]?.views).toBe((sumsBefore[0]?.views ?? 0) + 1000)
    await other.close()
  })

  // SQLite's index of days has the listings, too.
  it.runIf(engine === 'postgres')('are read from an index, without sorting the views of a whole day', async () => {
    const { plugin, queries } = noteQueries(store.db)
    const transact: Store['transact'] = work =>
      store.transact(async trx => work(Object.assign(trx.withPlugin(plugin), { engine: trx.engine })))
    await deleteAfter(0, { ...store, transact })
    const folding = queries.find(query => query.sql.includes('delete from listing_day'))
    const plan = await store.transact(async trx => {
      for (const way of ['seqscan', 'bitmapscan']) await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(trx)
      return trx.executeQuery(CompiledQuery.raw(`explain ${folding?.sql}`, [...(folding?.parameters ?? [])]))
    })
    expect(JSON.stringify(plan.rows)).toContain('listing_day_of_day')
    expect(JSON.stringify(plan.rows)).not.toContain('Sort')
  })
})
