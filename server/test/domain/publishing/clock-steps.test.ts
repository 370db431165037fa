import type { Quote } from '@placard/contract'
import { expect, it } from 'vitest'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import { logNow } from '../../support/all-logged.ts'
import { ENGINES } from '../../support/engines.ts'
import { NOON, newCredentials, publish, publishBody, quote, startTestService } from '../../support/service.ts'

const HOUR_MS = 60 * 60 * 1000
/** By how many hours one clock is wrong, one after the other. */
const STEPS_HOURS = [0, 3, -3, 26, 0, -26, 0]
const QUOTE_LIFETIME_MS = 5 * 60 * 1000
const QUOTE = { destination: 'https://bakery.com/', category: 'Games', board: 'all', targetBid: 25 }

it.each(ENGINES)('receipts on %s stay, and quotes end in time, while one of two clocks is wrong', async engine => {
  const env = { BASE_URL: 'http://127.0.0.1:1' }
  const wrong = await startTestService({ engine, env })
  const { database, sites } = wrong
  const right = await startTestService({ engine, env, database, sites })
  const both = [wrong, right]
  const published: { credentials: ReturnType<typeof newCredentials>; host: string; receipt: unknown }[] = []
  try {
    for (const [nth, hours] of STEPS_HOURS.entries()) {
      const now = NOON + hours * HOUR_MS
      wrong.clock.now = now
      const { expiresAt } = (await quote<Quote>(wrong, QUOTE)).body
      expect(expiresAt).toBeGreaterThan(now)
      expect(expiresAt).toBeLessThanOrEqual(now + QUOTE_LIFETIME_MS)

      const [credentials, host] = [newCredentials(), `clock-${nth}.com`]
      const replies = await Promise.all(both.map(at => publish(at, credentials, publishBody(`http://${host}/`))))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 201])
      published.push({ credentials, host, receipt: replies[0]?.body })
      for (const each of published) {
        for (const at of both) {
          const { status, body } = await publish(at, each.credentials, publishBody(`http://${each.host}/`))
          expect([status, body]).toEqual([200, each.receipt])
        }
      }
      for (const at of both) expect((await fetch(`${at.url}/readyz`)).status).toBe(200)
    }
    const store = await database.openStore()
    expect(await store.db.selectFrom('claim').select('id').execute()).toHaveLength(STEPS_HOURS.length)
    expect((await reconcile(store, NOON)).differences).toEqual([])
    await logNow(store, () => NOON)
    // A clock that is hours behind dates decisions back, and the audit says so.
    expect((await verifyLog(store, NOON)).fault ?? '').toMatch(/^$|was inserted later: it is dated/)
    expect(await store.db.selectFrom('job').select('name').where('failures', '>', 0).execute()).toEqual([])
  } finally {
    await right.stop()
    await wrong.stop()
  }
})

it.each(ENGINES)(
  'the reason for which a listing is hidden on %s is the last one, also after the clock was set back',
  async engine => {
    const service = await startTestService({ engine, jobsEveryMs: 0 })
    const store = await service.database.openStore()
    const credentials = newCredentials()
    const again = () => publish(service, credentials, publishBody('http://shop.com/'))
    await again()
    const act = async (work: typeof hideListing, explanation: string, hoursBack: number) => {
      const now = NOON - hoursBack * HOUR_MS
      await work(store, 'shop-com', explanation, now)
      await logNow(store, () => now)
    }
    await act(hideListing, 'The first reason', 0)
    await act(restoreListing, 'A mistake', 1)
    await act(hideListing, 'The second reason', 1)
    const { facts } = await store.db
      .selectFrom('decision')
      .select('facts')
      .where('id', '=', (await again()).headers.get('placard-decision'))
      .executeTakeFirstOrThrow()
    expect(facts).toContain('The second reason')
    await service.stop()
  },
)
