import type { Receipt } from '@placard/contract'
import { sql, type Updateable } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chainDecisions } from '../../src/decisions/chain.ts'
import { FACTS_DAYS } from '../../src/decisions/end-facts.ts'
import { verifyDecisions } from '../../src/decisions/verify.ts'
import { deleteOld } from '../../src/retention/delete-old.ts'
import type { DecisionTable } from '../../src/storage/schema.ts'
import type { Store } from '../../src/storage/store.ts'
import { daysMs } from '../../src/time.ts'
import { allChained } from '../support/all-chained.ts'
import { ENGINES } from '../support/engines.ts'
import { operateHere } from '../support/operate.ts'
import {
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../support/service.ts'

describe.each(ENGINES)('the record of decisions on %s', engine => {
  let service: TestService
  let store: Store
  let slug: string

  beforeAll(async () => {
    service = await startTestService({ engine, now: Date.now() })
    store = await service.database.openStore()
    service.sites.set('nothing.com', (_request, response) => response.writeHead(404).end())
    for (const host of ['one.com', 'two.com', 'nothing.com', 'three.com']) {
      const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
      if (host === 'three.com') slug = (body as Receipt).productUrl.split('/').at(-1) ?? ''
    }
    await placard('hide', slug, '--reason', 'not so', '--as', 'anna')
  })
  afterAll(() => service.stop())
  beforeEach(() => allChained(store))

  const placard = (...args: string[]) => operateHere(service.database.env, ...args)
  const verify = (...args: string[]) => placard('audit', 'verify', ...args)
  const all = () => store.db.selectFrom('decision').selectAll().orderBy('position').execute()
  const links = () => store.db.selectFrom('decision_chain').selectAll().orderBy('position').execute()
  async function third() {
    const decision = (await all())[2]
    if (!decision) throw new Error('there is no third decision')
    return decision
  }

  it('has every decision once, in one chain, with what it relies on', async () => {
    const decisions = await all()
    expect(decisions.map(({ kind, reason, actor }) => [kind, reason, actor]).sort()).toEqual([
      ['accept', 'passed_review', 'automatic'],
      ['accept', 'passed_review', 'automatic'],
      ['accept', 'passed_review', 'automatic'],
      ['hide', 'policy', 'operator:anna'],
      ['refuse', 'not_found', 'automatic'],
    ])
    expect(decisions.map(({ position }) => Number(position))).toEqual([1, 2, 3, 4, 5])
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
    const head = (await links()).at(-1)?.hash
    expect(await verify()).toEqual({ code: 0, output: `5 decisions, chain whole, head ${head}\n` })
  })

  it('is proved by a hash that was its head before, and not by another', async () => {
    const earlier = (await links())[2]?.hash ?? ''
    expect((await verify('--head', earlier)).code).toBe(0)
    const other = await verify('--head', 'ab'.repeat(32))
    expect([other.code, other.output]).toEqual([1, expect.stringContaining('no longer leads through')])
  })

  it('is chained by several instances at once, each position once', async () => {
    const [before, again] = [await links(), await service.database.openStore()]
    for (let each = 0; each < 4; each++) {
      await placard(each % 2 === 0 ? 'restore' : 'hide', slug, '--reason', 'back and forth')
      await Promise.all([chainDecisions(store), chainDecisions(again)].map(pass => pass.catch(() => {})))
    }
    await allChained(store)
    const after = await links()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.map(({ position }) => Number(position))).toEqual(after.map((_, index) => index + 1))
    expect(new Set(after.map(({ decisionId }) => decisionId)).size).toBe(before.length + 4)
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
    const set = (id: string, fields: Partial<Updateable<DecisionTable>>) =>
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
        /^2 decisions proved, then: .*number 3 in the chain, was changed/,
      )
    })

    it('that facts were changed, or removed before their time', async () => {
      const { id, facts } = await third()
      const undo = () => set(id, { facts })
      await whenDone(() => set(id, { facts: '{"other":1}' }), undo, /facts of .* were changed/)
      await whenDone(() => set(id, { facts: null }), undo, /facts of .* are gone before their time/)
    })

    it('that a decision was deleted', async () => {
      const decision = await third()
      await whenDone(
        () => store.db.deleteFrom('decision').where('id', '=', decision.id).execute(),
        () => store.db.insertInto('decision').values(decision).execute(),
        /number 3 in the chain, is missing/,
      )
    })

    it('that a decision was deleted together with its link', async () => {
      const decision = await third()
      const link = (await links())[2]
      if (!link) throw new Error('there is no third link')
      await whenDone(
        async () => {
          await store.db.deleteFrom('decision').where('id', '=', decision.id).execute()
          await store.db.deleteFrom('decision_chain').where('position', '=', 3).execute()
        },
        async () => {
          await store.db.insertInto('decision').values(decision).execute()
          await store.db.insertInto('decision_chain').values(link).execute()
        },
        /^2 decisions proved, then: link 3 of the chain is missing/,
      )
    })

    it('that two decisions exchanged their places', async () => {
      const [, second, third] = await all()
      if (!second || !third) throw new Error('there are too few')
      const exchange = async (a: string, b: string) => {
        await set(second.id, { position: Number(a) })
        await set(third.id, { position: Number(b) })
        const put = (position: number, decisionId: string) =>
          store.db
            .updateTable('decision_chain')
            .set({ decisionId })
            .where('position', '=', position)
            .execute()
        await put(Number(a), second.id)
        await put(Number(b), third.id)
      }
      await whenDone(
        () => exchange('3', '2'),
        () => exchange('2', '3'),
        /^1 decision proved, then: .*number 2 in the chain, was changed, moved or exchanged/,
      )
    })

    it('that one was put in and never chained, or pretends to be', async () => {
      const { id, ...rest } = await third()
      const added = { ...rest, id: `${id.slice(0, -4)}ffff` }
      const remove = () => store.db.deleteFrom('decision').where('id', '=', added.id).execute()
      await whenDone(
        () => store.db.insertInto('decision').values(added).execute(),
        remove,
        new RegExp(`decision ${added.id} is not in the chain`),
      )
      const link = { position: 0, decisionId: added.id, hash: 'ab'.repeat(32) }
      await whenDone(
        async () => {
          await store.db
            .insertInto('decision')
            .values({ ...added, position: 0 })
            .execute()
          await store.db.insertInto('decision_chain').values(link).execute()
        },
        async () => {
          await remove()
          await store.db.deleteFrom('decision_chain').where('position', '=', 0).execute()
        },
        new RegExp(`decision ${added.id} is not in the chain`),
      )
    })

    it('that a listing is hidden without a decision', async () => {
      const hide = (hiddenAt: number | null) =>
        sql`update listing set "hiddenAt" = ${hiddenAt} where url = 'http://one.com/'`.execute(store.db)
      await whenDone(
        () => hide(1),
        () => hide(null),
        /the listing one-com is hidden, and no decision says so/,
      )
    })
  })

  it('stays whole when facts end, of which their hash is left', async () => {
    const kept = await all()
    const later = Date.now() + daysMs(FACTS_DAYS + 1)
    const deleted = await deleteOld({ store, clock: () => later }, new AbortController().signal)
    expect(deleted).toMatchObject({ decision: 1 })
    const [refused] = (await all()).filter(({ kind }) => kind === 'refuse')
    expect(refused).toMatchObject({
      facts: null,
      factsHash: kept.find(({ kind }) => kind === 'refuse')?.factsHash,
    })
    expect((await verifyDecisions(store, later)).fault).toBeUndefined()
    // Long before, it would have been a change.
    expect((await verifyDecisions(store, Date.now())).fault).toMatch(/gone before their time/)
  })
})
