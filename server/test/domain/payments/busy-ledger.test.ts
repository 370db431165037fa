// @module-tag slow
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BOARDS_PATH } from '@placard/contract'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import {
  newCredentials,
  publishAtLast,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { SECRET_KEY } from '../../support/stand-in.ts'
import { deliver, type StripeEvent, sessionObject, stripeEvent, WEBHOOK_SECRET } from '../../support/stripe-events.ts'

const PAYMENTS = 200

/** The number in `ledger.ts`. */
const LEDGER_LOCK = 7_526_311

/** Takes the ledger's lock, like another instance that hangs. @returns a function that releases it */
async function holdLedger({ env, dataDir }: EmptyDatabase): Promise<() => Promise<void>> {
  if (env.DATABASE_URL === undefined) {
    const other = new Sqlite(join(dataDir, 'placard.db'))
    other.exec('begin immediate')
    return async () => {
      other.exec('rollback')
      other.close()
    }
  }
  const other = new pg.Client(env.DATABASE_URL)
  await other.connect()
  await other.query('select pg_advisory_lock($1)', [LEDGER_LOCK])
  return () => other.end()
}

describe.each(ENGINES)('while the ledger is locked on %s', engine => {
  let service: TestService
  let store: Store
  beforeAll(async () => {
    service = await startTestService({
      engine,
      env: {
        PAYMENTS: 'stripe',
        STRIPE_SECRET_KEY: SECRET_KEY,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      },
    })
    store = await service.database.openStore()
  })
  afterAll(async () => {
    await store.close()
    await service.stop()
  })

  async function paidEvent(host: string): Promise<StripeEvent> {
    const { sessionId, checkoutId } = await openTestCheckout(store, host)
    return stripeEvent('checkout.session.completed', sessionObject({ id: sessionId, client_reference_id: checkoutId }))
  }
  /** Redelivers like a processor, since on a busy machine the last ones may wait too long. */
  async function deliverUntilTaken(event: StripeEvent) {
    for (;;) {
      const answer = await deliver(service, event)
      if (answer.status !== 503) return answer
    }
  }
  const statusOf = async (path: string) => (await fetch(service.url + path)).status
  const quoteStatus = async () => {
    const body = { destination: 'https://site-0.com', category: 'Games', board: 'all', targetBid: 900 }
    return (await quote(service, body)).status
  }

  it(`${PAYMENTS} payments wait, but reading, and publishing on PostgreSQL, do not; then each counts once`, async () => {
    const events: StripeEvent[] = []
    for (let index = 0; index < PAYMENTS; index++) events.push(await paidEvent(`site-${index}.com`))
    const release = await holdLedger(service.database)
    let answered = 0
    const delivered = Promise.all(
      events.map(async event => {
        const { status, body } = await deliverUntilTaken(event)
        answered++
        return [status, body.received]
      }),
    )
    // Time enough for all of them to arrive.
    await sleep(500)
    for (let round = 1; round <= 5; round++) {
      const board = `${BOARDS_PATH}/all`
      // Polled, because on a busy machine a read may wait too long for another reason.
      await expect.poll(() => statusOf(board)).toBe(200)
      await expect.poll(quoteStatus).toBe(200)
      await expect.poll(() => statusOf('/board/today')).toBe(200)
      // SQLite has one writer for everything, and another process has just taken it: no write would work.
      if (engine === 'sqlite') continue
      await expect.poll(() => statusOf('/readyz')).toBe(200)
      const { status } = await publishAtLast(service, newCredentials(), publishBody(`http://new-${round}.com`))
      expect(status).toBe(201)
    }
    expect(answered).toBe(0)
    await release()
    expect(await delivered).toEqual(events.map(() => [200, 'applied']))
    const again = await Promise.all(events.map(event => deliverUntilTaken(event)))
    expect(again.map(({ body }) => body.received)).toEqual(events.map(() => 'repeated'))
    const payments = await store.db.selectFrom('payment').select('netCents').execute()
    expect(payments).toEqual(events.map(() => ({ netCents: 2500 })))
    const { code, output } = await operateHere(service.database.env, 'reconcile')
    expect([code, output]).toEqual([0, expect.stringContaining(`No difference: ${PAYMENTS} payments`)])
  })

  it('a payment event that waits too long gets 503, and counts when it is redelivered', async () => {
    const events = [await paidEvent('late.com'), await paidEvent('later.com'), await paidEvent('latest.com')]
    const release = await holdLedger(service.database)
    const refused = await Promise.all(events.map(event => deliver(service, event)))
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(events.map(() => [503, 'not_ready']))
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    await release()
    const delivered = await Promise.all(events.map(event => deliverUntilTaken(event)))
    expect(delivered.map(({ body }) => body.received)).toEqual(events.map(() => 'applied'))
  })
})
