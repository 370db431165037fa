import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Receipt } from '@placard/contract'
import { parseEntry, signerOf } from '@placard/contract/log'
import { sql, type Updateable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { logTree } from '../../../src/domain/log/tree-of-store.ts'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { deleteDueRows } from '../../../src/ops/jobs/delete-old-rows.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { FACTS_DAYS } from '../../../src/platform/db/tables/decisions.ts'
import type { Database } from '../../../src/platform/db/tables/index.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { allLogged, announceKey, LOG_SIGNER, logNow, signCheckpoint } from '../../support/all-logged.ts'
import { ENGINES } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'

describe.each(ENGINES)('the log of decisions on %s', engine => {
  let service: TestService
  let store: Store
  let slug: string

  beforeAll(async () => {
    service = await startTestService({ engine, now: Date.now(), jobsEveryMs: 100 })
    store = await service.database.openStore()
    await announceKey(store)
    service.sites.set('nothing.com', (_request, response) => response.writeHead(404).end())
    for (const host of ['one.com', 'two.com', 'nothing.com', 'three.com']) {
      const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
      if (host === 'three.com') slug = (body as Receipt).productUrl.split('/').at(-1) ?? ''
    }
    await placard('hide', slug, '--reason', 'not so', '--as', 'anna')
  })
  afterAll(() => service.stop())
  beforeEach(() => allLogged(store))

  const placard = (...args: string[]) => operateHere(service.database.env, ...args)
  const verify = () => placard('audit', 'verify')
  const folder = mkdtempSync(join(tmpdir(), 'placard-audit-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const verifyWith = (note: string) => {
    const file = join(folder, 'checkpoint')
    writeFileSync(file, note)
    return placard('audit', 'verify', '--checkpoint', file)
  }
  const all = () => store.db.selectFrom('decision').selectAll().orderBy('position').execute()
  const logged = () => store.db.selectFrom('log_entry').selectAll().orderBy('position').execute()
  async function third() {
    const decision = (await all())[2]
    if (!decision) throw new Error('there is no third decision')
    return decision
  }

  it('has every decision once, in one log, with what it relies on', async () => {
    const decisions = await all()
    expect(decisions.map(({ kind, reason, actor }) => [kind, reason, actor]).sort()).toEqual([
      ['accept', 'passed_review', 'automatic'],
      ['accept', 'passed_review', 'automatic'],
      ['accept', 'passed_review', 'automatic'],
      ['hide', 'policy', 'operator:anna'],
      ['refuse', 'not_found', 'automatic'],
    ])
    expect(decisions.map(({ position }) => Number(position))).toEqual([2, 3, 4, 5, 6])
    const accepted = decisions.find(({ kind }) => kind === 'accept')
    expect(JSON.parse(accepted?.facts ?? '')).toEqual({
      verdicts: expect.arrayContaining([
        { reviewer: 'fetcher', version: '1', outcome: 'pass', evidence: {} },
        { reviewer: 'page-rules', version: expect.any(String), outcome: 'pass', evidence: {} },
      ]),
      fetched: {
        url: expect.stringMatching(/^http:\/\/(one|two|three)\.com\/$/),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    const [began, key, ...entries] = (await logged()).map(({ entry }) => parseEntry(entry))
    expect(began).toMatchObject({ index: 0, kind: 'began', replayed: false })
    expect(key).toMatchObject({ index: 1, kind: 'key', vkey: LOG_SIGNER.vkey })
    const kinds = { accept: 'listed', hide: 'hidden', refuse: 'decided' } as Record<string, string>
    for (const [at, { kind, listing, private: commitment }] of entries.entries()) {
      const decision = decisions[at]
      const isPublic = decision?.kind !== 'refuse'
      expect([kind, listing]).toEqual([kinds[decision?.kind ?? ''], isPublic ? Number(decision?.listingId) : undefined])
      expect(commitment).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    }
    const root = (await logTree(store).rootAt(7)).toString('base64')
    expect(await verify()).toEqual({ code: 0, output: `7 entries, log whole, root ${root}\n` })
  })

  it('contains a checkpoint that was signed before, and no other', async () => {
    const root = await logTree(store).rootAt(3)
    expect(await verifyWith(signCheckpoint(3, root))).toMatchObject({ code: 0 })
    const faultOf = async (note: string) => {
      const { code, output } = await verifyWith(note)
      expect(code).toBe(1)
      return output
    }
    const { origin } = await store.db.selectFrom('log_checkpoint').select('origin').executeTakeFirstOrThrow()
    for (const [size, hash] of [
      [3, Buffer.alloc(32)],
      [3000, root],
    ] as const) {
      const missing = `does not contain the checkpoint of ${size} entries: `
      const here = signCheckpoint(size, hash, LOG_SIGNER, origin)
      expect(await faultOf(here)).toContain(`${missing}its last entries were deleted`)
      expect(await faultOf(signCheckpoint(size, hash))).toContain(
        `${missing}it is of placard.test/log, not of ${origin}`,
      )
    }
    const other = signerOf(LOG_SIGNER.name, Buffer.alloc(32, 1))
    expect(await faultOf(signCheckpoint(3, root, other))).toContain('no key of the log signed the checkpoint')
    expect(await faultOf(signCheckpoint(3, root).replace(/.{9}\n$/, 'AAAAAAA=\n'))).toMatch(/signature/)
  })

  it('is written by several instances at once, each position once', async () => {
    const [before, again] = [await logged(), await service.database.openStore()]
    for (let each = 0; each < 4; each++) {
      await placard(each % 2 === 0 ? 'restore' : 'hide', slug, '--reason', 'back and forth')
      await Promise.all([logNow(store), logNow(again, Date.now)].map(pass => pass.catch(() => {})))
    }
    await allLogged(store)
    const after = await logged()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.map(({ position }) => Number(position))).toEqual(after.map((_, index) => index))
    expect(new Set(after.map(({ decisionId, position }) => decisionId ?? position)).size).toBe(before.length + 4)
    expect((await verify()).code).toBe(0)
  })

  describe('shows', () => {
    /** Tampers, looks, and takes it back. */
    async function whenDone(
      tamper: () => Promise<unknown>,
      undo: () => Promise<unknown>,
      found: RegExp,
    ): Promise<void> {
      await tamper()
      const { code, output } = await verify()
      await undo()
      expect([code, output]).toEqual([1, expect.stringMatching(found)])
      expect((await verify()).code).toBe(0)
    }
    const set = (id: string, fields: Partial<Updateable<Database['decision']>>) =>
      store.db.updateTable('decision').set(fields).where('id', '=', id).execute()

    it.each([
      ['reason', 'other'],
      ['actor', 'operator:bob'],
      ['at', 1],
      ['ground', 'owner@1'],
      ['factsHash', '0'.repeat(64)],
    ] as const)('that the %s of a decision was changed', async (column, value) => {
      const decision = await third()
      await whenDone(
        () => set(decision.id, { [column]: value }),
        () => set(decision.id, { [column]: decision[column] }),
        /^4 entries proved, then: decision .*, entry 4 of the log, was changed/,
      )
    })

    it('that facts were changed, or removed before their time', async () => {
      const { id, facts } = await third()
      const undo = () => set(id, { facts })
      await whenDone(() => set(id, { facts: '{"other":1}' }), undo, /facts of .* were changed/)
      await whenDone(() => set(id, { facts: null }), undo, /facts of .* were deleted too early/)
    })

    it('that a decision was deleted', async () => {
      const decision = await third()
      await whenDone(
        () => store.db.deleteFrom('decision').where('id', '=', decision.id).execute(),
        () => store.db.insertInto('decision').values(decision).execute(),
        /entry 4 of the log, is missing/,
      )
    })

    it('that a decision was deleted together with its entry', async () => {
      const decision = await third()
      const entry = (await logged())[4]
      if (!entry) throw new Error('there is no third decision')
      await whenDone(
        async () => {
          await store.db.deleteFrom('decision').where('id', '=', decision.id).execute()
          await store.db.deleteFrom('log_entry').where('position', '=', 4).execute()
        },
        async () => {
          await store.db.insertInto('decision').values(decision).execute()
          await store.db.insertInto('log_entry').values(entry).execute()
        },
        /^4 entries proved, then: entry 4 of the log is missing/,
      )
    })

    it('that two decisions exchanged their places', async () => {
      const [, second, third] = await all()
      if (!second || !third) throw new Error('there are too few')
      const exchange = async (a: string, b: string) => {
        await set(second.id, { position: Number(a) })
        await set(third.id, { position: Number(b) })
        const put = (position: number, decisionId: string | null) =>
          store.db.updateTable('log_entry').set({ decisionId }).where('position', '=', position).execute()
        await put(3, null)
        await put(4, null)
        await put(Number(a), second.id)
        await put(Number(b), third.id)
      }
      await whenDone(
        () => exchange('4', '3'),
        () => exchange('3', '4'),
        /^3 entries proved, then: .*entry 3 of the log, was changed, moved or replaced/,
      )
    })

    it('that one was put in and never logged, or pretends to be', async () => {
      const { id, ...rest } = await third()
      const added = { ...rest, id: `${id.slice(0, -4)}ffff` }
      const remove = () => store.db.deleteFrom('decision').where('id', '=', added.id).execute()
      await whenDone(
        () => store.db.insertInto('decision').values(added).execute(),
        remove,
        new RegExp(`decision ${added.id} is not in the log`),
      )
      // No job runs that would give it an entry here, but nothing was pending when it was dated.
      const seenAt = Date.now()
      const { seenAt: before } = await store.db.selectFrom('log_head').select('seenAt').executeTakeFirstOrThrow()
      const see = (at: number | null) => store.db.updateTable('log_head').set({ seenAt: at }).execute()
      await whenDone(
        async () => {
          await see(seenAt)
          await store.db
            .insertInto('decision')
            .values({ ...added, position: null, at: seenAt - 600_000 })
            .execute()
        },
        async () => {
          await remove()
          await see(before)
        },
        new RegExp(`decision ${added.id} is not in the log`),
      )
      for (const position of [-1, 0, 1]) {
        await whenDone(
          () =>
            store.db
              .insertInto('decision')
              .values({ ...added, position })
              .execute(),
          remove,
          new RegExp(`decision ${added.id} is not in the log`),
        )
      }
    })

    it('that a count of a month was changed, put in or deleted', async () => {
      const [count] = await store.db.selectFrom('decision_count').selectAll().orderBy('kind').execute()
      if (!count) throw new Error('nothing is counted')
      const named = new RegExp(`the count of ${count.month} ${count.kind} ${count.reason} is`)
      const where = sql`month = ${count.month} and kind = ${count.kind} and reason = ${count.reason}`
      const change = (by: number) =>
        sql`update decision_count set decisions = decisions + ${by} where ${where}`.execute(store.db)
      await whenDone(
        () => change(1),
        () => change(-1),
        named,
      )
      await whenDone(
        () => sql`delete from decision_count where ${where}`.execute(store.db),
        () => store.db.insertInto('decision_count').values(count).execute(),
        named,
      )
      const other = { ...count, month: '2020-01' }
      await whenDone(
        () => store.db.insertInto('decision_count').values(other).execute(),
        () => store.db.deleteFrom('decision_count').where('month', '=', other.month).execute(),
        /the count of 2020-01 \w+ \w+ is \d+, but there are 0 decisions/,
      )
    })

    it('that a hidden listing is shown again without a decision', async () => {
      await placard('hide', slug, '--reason', 'not so')
      await allLogged(store)
      const { hiddenAt, hiddenBy, hiddenReason } = await store.db
        .selectFrom('listing')
        .selectAll()
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow()
      const put = (fields: object) => store.db.updateTable('listing').set(fields).where('slug', '=', slug).execute()
      await whenDone(
        () => put({ hiddenAt: null, hiddenBy: null, hiddenReason: null }),
        () => put({ hiddenAt, hiddenBy, hiddenReason }),
        new RegExp(`the listing ${slug} is shown, but a decision hid it`),
      )
    })

    it('that a listing is hidden without a decision', async () => {
      const hide = (hiddenAt: number | null) =>
        sql`update listing set "hiddenAt" = ${hiddenAt} where url = 'http://one.com/'`.execute(store.db)
      await whenDone(
        () => hide(1),
        () => hide(null),
        /the listing one-com is hidden without a decision/,
      )
    })
  })

  it('shows that the stored checkpoint was changed', async () => {
    // Nothing signs here: a service that signs replaces such a checkpoint at once.
    const idle = await startTestService({ engine, jobsEveryMs: 0 })
    const records = await idle.database.openStore()
    await publish(idle, newCredentials(), publishBody('http://first.com/'))
    await logNow(records)
    await announceKey(records)
    const tree = logTree(records)
    const size = await tree.size()
    const root = await tree.rootAt(size)
    const note = signCheckpoint(size, root)
    const row = { id: 1, origin: LOG_SIGNER.name, size, root: root.toString('base64'), note, at: Date.now() }
    await records.db.insertInto('log_checkpoint').values(row).execute()
    expect((await verifyLog(records, Date.now())).fault).toBeUndefined()
    await records.db
      .updateTable('log_checkpoint')
      .set({ note: note.replace(/\n\d+\n/, '\n1\n') })
      .execute()
    const { fault } = await verifyLog(records, Date.now())
    expect(fault).toBe(`the stored checkpoint of ${size} entries has another text than its size and root`)
    await idle.stop()
  })

  describe('while the service runs', () => {
    let other: TestService
    let records: Store
    beforeEach(async () => {
      other = await startTestService({ engine, now: Date.now(), jobsEveryMs: 100 })
      records = await other.database.openStore()
      await announceKey(records)
      await publish(other, newCredentials(), publishBody('http://first.com/'))
      await allSeen()
    })
    afterEach(() => other.stop())

    /** Waits until the service has logged all, and knows that nothing waits. */
    const allSeen = () =>
      expect
        .poll(async () => {
          await logNow(records, () => other.clock.now, { underWayMs: 0 })
          return (await records.db.selectFrom('log_head').select('seenAt').executeTakeFirst())?.seenAt
        })
        .toBe(other.clock.now)
    const faultNow = async () => (await verifyLog(records, other.clock.now)).fault
    const put = async (at: number) => {
      const [first] = await records.db.selectFrom('decision').selectAll().execute()
      if (!first) throw new Error('there is no decision')
      const id = uuidv7({ msecs: at })
      await records.db
        .insertInto('decision')
        .values({ ...first, id, requestId: null, at, position: null })
        .execute()
      await allLogged(records)
    }

    it('shows a decision that was inserted with an earlier date, even if nothing was decided since', async () => {
      other.clock.now += 3_600_000
      await allSeen()
      expect(await faultNow()).toBeUndefined()
      // The service logs it as any other.
      await put(other.clock.now - 1_800_000)
      expect(await faultNow()).toMatch(/^entry 3 of the log was inserted later: it is dated/)
      // What is decided later hides nothing.
      await publish(other, newCredentials(), publishBody('http://second.com/'))
      await allSeen()
      expect(await faultNow()).toMatch(/^entry 3 of the log was inserted later: it is dated/)
      // Nor does deleting what says so.
      const { entry } = await records.db
        .selectFrom('log_entry')
        .select('entry')
        .where('position', '=', 3)
        .executeTakeFirstOrThrow()
      await records.db
        .updateTable('log_entry')
        .set({ entry: entry.replace(/"notBefore":"[^"]*",/, '') })
        .where('position', '=', 3)
        .execute()
      expect(await faultNow()).toMatch(/^entry 3 of the log has no notBefore/)
    })

    it('stays whole where decisions waited to be logged, or the clock was set back', async () => {
      other.clock.now += 3_600_000
      await allSeen()
      other.clock.now -= 7_200_000
      await allSeen()
      await publish(other, newCredentials(), publishBody('http://second.com/'))
      await put(other.clock.now - 60_000)
      expect(await faultNow()).toBeUndefined()
    })

    it('stays intact if the clock was set forwards while something was in progress', async () => {
      await put(other.clock.now)
      await allSeen()
      const began = other.clock.now
      other.clock.now += 26 * 3_600_000
      await logNow(records, () => other.clock.now)
      await put(began)
      expect(await faultNow()).toBeUndefined()
    })

    it('stays whole where another process notices first that the clock was set back', async () => {
      await put(other.clock.now)
      await allSeen()
      const before = other.clock.now
      const later = before - 26 * 3_600_000
      const [first] = await records.db.selectFrom('decision').selectAll().execute()
      if (!first) throw new Error('there is no decision')
      let readings = 0
      // Both clocks: that of the service, and that of the pass here, which is behind by one reading.
      other.clock.now = later
      await records.db
        .insertInto('decision')
        .values({ ...first, id: uuidv7(), requestId: null, at: later, position: null })
        .execute()
      await logNow(records, () => (readings++ === 0 ? before : later))
      await allLogged(records)
      expect(await faultNow()).toBeUndefined()
    })
  })

  it('stays whole when facts end, of which their hash is left', async () => {
    const kept = await all()
    const later = Date.now() + daysMs(FACTS_DAYS + 1)
    const deleted = await deleteDueRows({ store, clock: () => later }, new AbortController().signal)
    expect(deleted).toMatchObject({ decision: 1 })
    const [refused] = (await all()).filter(({ kind }) => kind === 'refuse')
    expect(refused).toMatchObject({
      facts: null,
      factsHash: kept.find(({ kind }) => kind === 'refuse')?.factsHash,
    })
    expect((await verifyLog(store, later)).fault).toBeUndefined()
    // Long before, it would have been a change.
    expect((await verifyLog(store, Date.now())).fault).toMatch(/were deleted too early/)
  })
})
