import { BOARDS_PATH, type BoardPage } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { PROCESSOR_NAMES } from '../../../src/domain/payments/processors.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { ProcessorName } from '../../../src/platform/config/outside-services.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { startService } from '../../../src/start.ts'
import { type EmptyDatabase, migratedDatabase, SAME_SQL } from '../../support/engines.ts'
import { clearLedger, eventOf, openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import { NOON, startTestService, type TestService } from '../../support/service.ts'
import {
  chargeObject,
  deliver,
  disputeObject,
  sessionObject,
  stripeEvent,
  WEBHOOK_SECRET,
} from '../../support/stripe-events.ts'

const stripe = (mode: 'live' | 'test'): Env => ({
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: `sk_${mode}_nobody`,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
})

const ENV: Record<ProcessorName, Env> = {
  stripe: stripe('live'),
  stripe_test: stripe('test'),
  sandbox: { PAYMENTS: 'sandbox' },
}

const MODES = [
  { key: 'live', other: 'test', processor: 'stripe', livemode: true },
  { key: 'test', other: 'live', processor: 'stripe_test', livemode: false },
] as const

describe.each(SAME_SQL)('on %s', engine => {
  describe.each(MODES)('with a $key key', ({ processor, livemode }) => {
    let service: TestService
    let store: Store
    beforeEach(async () => {
      service = await startTestService({ engine, env: ENV[processor] })
      store = await service.database.openStore()
    })
    afterEach(async () => {
      await store.close()
      await service.stop()
    })

    const totals = async () => {
      const page = (await (await fetch(`${service.url}${BOARDS_PATH}/all`)).json()) as BoardPage
      return page.entries.map(entry => entry.totalCents)
    }
    const send = async (type: string, object: object, isLive: boolean) => {
      const { status, body } = await deliver(service, stripeEvent(type, object, { livemode: isLive }))
      return [status, body.received]
    }
    async function paidSession() {
      const { sessionId, checkoutId } = await openTestCheckout(store, 'bakery.com', processor)
      return sessionObject({ id: sessionId, client_reference_id: checkoutId, livemode })
    }

    it('money of the other mode is stored as unmatched, and shown to the operator', async () => {
      const session = await paidSession()
      const theirs = { ...session, livemode: !livemode }
      expect(await send('checkout.session.completed', theirs, !livemode)).toEqual([200, 'applied'])
      // If the two disagree, neither is trusted.
      const torn = { ...session, payment_intent: 'pi_torn' }
      expect(await send('checkout.session.completed', torn, !livemode)).toEqual([200, 'applied'])
      const turned = { ...theirs, payment_intent: 'pi_turned' }
      expect(await send('checkout.session.completed', turned, livemode)).toEqual([200, 'applied'])
      expect(await totals()).toEqual([])
      const { output } = await operateHere(service.database.env, 'payments', '--unplaced')
      expect(output.match(/paid \$25\.00 .*\n.*wrong_mode: /g)).toHaveLength(3)
      expect((await operateHere(service.database.env, 'reconcile')).code).toBe(0)
    })

    it('money of its own mode counts, whatever events of the other mode say about it', async () => {
      const session = await paidSession()
      expect(await send('checkout.session.completed', session, livemode)).toEqual([200, 'applied'])
      expect(await totals()).toEqual([2500])
      const dispute = { ...disputeObject(session, 'lost'), livemode: !livemode }
      await send('charge.refunded', chargeObject(session, 700), !livemode)
      await send('charge.dispute.closed', dispute, !livemode)
      expect(await totals()).toEqual([2500])
      await send('charge.refunded', chargeObject(session, 600), livemode)
      expect(await totals()).toEqual([1900])
      expect((await operateHere(service.database.env, 'reconcile')).code).toBe(0)
    })
  })

  describe('a database in which places were paid for with one kind of money', () => {
    let database: EmptyDatabase
    let store: Store
    beforeEach(async () => {
      database = await migratedDatabase(engine)
      store = await database.openStore()
    })
    afterEach(async () => {
      await store.close()
      await database.remove()
    })

    async function pay(processor: ProcessorName): Promise<void> {
      const checkout = await openTestCheckout(store, 'bakery.com', processor)
      await applyEvent(store, eventOf('paid', 'pi_1', { checkout, processor }), NOON)
    }
    async function start(processor: ProcessorName): Promise<'started' | string> {
      const config = configFrom({ PORT: '0', LOG_LEVEL: 'silent', ...database.env, ...ENV[processor] })
      try {
        // Without its jobs, which draw listings that the test then deletes.
        await (await startService(config, { jobs: () => [] })).stop()
        return 'started'
      } catch (error) {
        return (error as Error).message
      }
    }

    it.each(PROCESSOR_NAMES)('serves that kind and no other: %s', async paidWith => {
      await pay(paidWith)
      for (const processor of PROCESSOR_NAMES) {
        const expected =
          processor === paidWith
            ? 'started'
            : expect.stringMatching(/^PAYMENTS=\w+.* cannot be used with this database: its places [^\n]+ Use a new /)
        expect([processor, await start(processor)]).toEqual([processor, expected])
      }
    })

    it('serves any kind while nothing is paid for', async () => {
      for (const processor of PROCESSOR_NAMES) {
        await clearLedger(store)
        await pay(processor)
        const refund = { processor }
        await applyEvent(store, eventOf('refunded', 'pi_1', refund), NOON)
        for (const other of PROCESSOR_NAMES) expect([other, await start(other)]).toEqual([other, 'started'])
      }
    })
  })
})
