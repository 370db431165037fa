import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lostCents, paidEventOf, paymentFrom, type StoredEvent } from '../../../src/domain/payments/payment.ts'
import { readStripeEvent } from '../../../src/domain/payments/stripe-events.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'
import {
  chargeObject,
  type DisputeStatus,
  disputeObject,
  refundObject,
  sessionObject,
} from '../../support/stripe-events.ts'

const SECOND = 1000
const PAID_CENTS = 2500

const session = sessionObject({
  id: 'cs_1',
  payment_intent: 'pi_1',
  client_reference_id: 'order-1',
  amount_total: PAID_CENTS,
})
const checkout = { id: 'order-1', sessionId: 'cs_1', destinationKey: '1:bakery.com' }

/** A step in a payment's life at Stripe. `which` picks among the possible targets. */
type Step =
  | { what: 'refund'; cents: number; pending: boolean }
  | { what: 'settle_refund' | 'fail_refund' | 'cancel_refund'; which: number }
  | { what: 'dispute'; cents: number; inquiry: boolean }
  | { what: 'turn_dispute'; which: number; to: DisputeStatus }

const steps = fc.array(
  fc.record({
    /** Refunds change within a second, a bank takes longer. */
    afterSeconds: fc.integer({ min: 0, max: 2 }),
    step: fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({
        what: fc.constant('refund' as const),
        cents: fc.integer({ min: 1, max: 1500 }),
        pending: fc.boolean(),
      }),
      fc.record({
        what: fc.constantFrom('settle_refund' as const, 'fail_refund' as const, 'cancel_refund' as const),
        which: fc.nat(9),
      }),
      fc.record({
        what: fc.constant('dispute' as const),
        cents: fc.integer({ min: 1, max: PAID_CENTS }),
        inquiry: fc.boolean(),
      }),
      fc.record({
        what: fc.constant('turn_dispute' as const),
        which: fc.nat(9),
        to: fc.constantFrom<DisputeStatus[]>('needs_response', 'under_review', 'appeal_under_review', 'won', 'lost'),
      }),
    ),
  }),
  { maxLength: 14 },
)

interface Refund {
  id: string
  cents: number
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
}
interface Dispute {
  id: string
  cents: number
  status: DisputeStatus
}

/** Plays the processor: the final state, and every event on the way. */
class History {
  readonly refunds: Refund[] = []
  readonly disputes: Dispute[] = []
  readonly events: StoredEvent[] = []
  #now = NOON

  constructor() {
    this.#send('checkout.session.completed', session)
  }

  happen(afterSeconds: number, step: Step): void {
    this.#now += afterSeconds * SECOND
    if (step.what === 'refund') this.#refund(step.cents, step.pending)
    else if (step.what === 'dispute') this.#dispute(step.cents, step.inquiry)
    else if (step.what === 'turn_dispute') this.#turn(step.which, step.to)
    else this.#change(step.what, step.which)
  }

  get refundedCents(): number {
    const isGiven = ({ status }: Refund) => status === 'pending' || status === 'succeeded'
    return this.refunds.filter(isGiven).reduce((sum, { cents }) => sum + cents, 0)
  }

  disputedCents(statuses: DisputeStatus[]): number {
    return this.disputes.filter(({ status }) => statuses.includes(status)).reduce((sum, { cents }) => sum + cents, 0)
  }

  #refund(cents: number, pending: boolean): void {
    if (this.refundedCents + cents > PAID_CENTS) return
    const id = `re_${this.refunds.length}`
    const refund: Refund = { id, cents, status: pending ? 'pending' : 'succeeded' }
    this.refunds.push(refund)
    this.#send('refund.created', this.#refundObject(refund))
    this.#send('charge.refunded', chargeObject(session, this.refundedCents))
  }

  #change(what: keyof typeof BECOMES, which: number): void {
    const refund = this.refunds.filter(({ status }) => MAY_BECOME[what].includes(status))[which]
    if (!refund) return
    refund.status = BECOMES[what]
    this.#send('refund.updated', this.#refundObject(refund))
    if (refund.status === 'failed') this.#send('refund.failed', this.#refundObject(refund))
  }

  #dispute(cents: number, inquiry: boolean): void {
    const status = inquiry ? 'warning_needs_response' : 'needs_response'
    const dispute: Dispute = { id: `dp_${this.disputes.length}`, cents, status }
    this.disputes.push(dispute)
    this.#send('charge.dispute.created', this.#disputeObject(dispute))
    if (!inquiry) this.#send('charge.dispute.funds_withdrawn', this.#disputeObject(dispute))
  }

  #turn(which: number, to: DisputeStatus): void {
    const dispute = this.disputes[which]
    if (!dispute || dispute.status === to) return
    this.#now += SECOND
    dispute.status = to
    const isClosed = to === 'won' || to === 'lost'
    this.#send(isClosed ? 'charge.dispute.closed' : 'charge.dispute.updated', this.#disputeObject(dispute))
    if (to === 'won') this.#send('charge.dispute.funds_reinstated', this.#disputeObject(dispute))
  }

  #refundObject({ id, cents, status }: Refund) {
    return refundObject(session, cents, status, id)
  }

  #disputeObject({ id, cents, status }: Dispute) {
    return { ...disputeObject(session, status, id), amount: cents }
  }

  #send(type: string, object: unknown): void {
    const id = `evt_${this.events.length}`
    const event = readStripeEvent({ id, type, occurredAt: this.#now, object: structuredClone(object) }, 'stripe')
    if (event) this.events.push({ ...event, receivedAt: this.#now, took: '[]' })
  }
}

const BECOMES = { settle_refund: 'succeeded', fail_refund: 'failed', cancel_refund: 'canceled' } as const
const MAY_BECOME: Record<keyof typeof BECOMES, Refund['status'][]> = {
  settle_refund: ['pending'],
  fail_refund: ['pending', 'succeeded'],
  cancel_refund: ['pending'],
}

const historyAndOrder = steps.chain(all => {
  const history = new History()
  for (const { afterSeconds, step } of all) history.happen(afterSeconds, step)
  return fc.record({
    history: fc.constant(history),
    // Each at least once, some twice, in any order.
    order: fc.array(fc.constantFrom(...history.events), { maxLength: 6 }).chain(again =>
      fc.shuffledSubarray([...history.events, ...again], {
        minLength: history.events.length + again.length,
      }),
    ),
  })
})

const paymentOf = (events: StoredEvent[]) => paymentFrom({ processor: 'stripe', paymentId: 'pi_1' }, events, checkout)

describe('a payment', () => {
  it('ends up as at the processor, whatever happened and however its events arrive', () => {
    fc.assert(
      fc.property(historyAndOrder, ({ history, order }) => {
        const refunded = history.refundedCents
        const disputed = history.disputedCents(['needs_response', 'under_review', 'appeal_under_review', 'lost'])
        const payment = paymentOf(order)
        expect(payment).toMatchObject({
          paidCents: PAID_CENTS,
          refundedCents: refunded,
          disputedCents: disputed,
          netCents: Math.max(0, PAID_CENTS - refunded - disputed),
          unplaced: null,
        })
        expect(lostCents(order, paidEventOf(order))).toBe(history.disputedCents(['lost']))
      }),
      { numRuns: runs(2000) },
    )
  })

  it('never shows more than the processor says is left while the events about single refunds are still to come', () => {
    fc.assert(
      fc.property(historyAndOrder, ({ history }) => {
        const lastSum = history.events.findLast(event => event.kind === 'refunded')
        const heard = history.events.filter(
          event =>
            event.kind !== 'refund_made' &&
            (event.kind !== 'refund_failed' || event.occurredAt < (lastSum?.occurredAt ?? 0)),
        )
        expect(paymentOf(heard).refundedCents).toBeGreaterThanOrEqual(lastSum?.amountCents ?? 0)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('loses a dispute that is won and lost within one second', () => {
    const history = new History()
    const dispute = (status: DisputeStatus) => ({
      ...(readStripeEvent(
        {
          id: `evt_${status}`,
          type: 'charge.dispute.closed',
          occurredAt: NOON + SECOND,
          object: disputeObject(session, status, 'dp_1'),
        },
        'stripe',
      ) as StoredEvent),
      receivedAt: NOON,
    })
    const both = [dispute('lost'), dispute('won')]
    for (const events of [both, both.toReversed()]) {
      expect(paymentOf([...history.events, ...events]).netCents).toBe(0)
    }
  })
})
