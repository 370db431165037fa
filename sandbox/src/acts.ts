import { randomBytes } from 'node:crypto'
import type { Session } from './database.ts'

/** One refund of a session, as `refunds` keeps them. */
export interface Refund {
  id: string
  amountCents: number
  status: 'succeeded' | 'failed'
  /** Unix milliseconds. */
  createdAt: number
}

/**
 * What a person can do with a payment. `fail_refund` makes the newest refund fail that has not failed. `turn` reverses
 * the end of a dispute.
 */
export type Act =
  | { name: 'pay' | 'pay_later' | 'succeed' | 'fail' | 'fail_refund' | 'dispute' | 'win' | 'lose' | 'turn' }
  /** `all`: the rest of the payment. */
  | { name: 'refund'; amountCents: number | 'all' }
export type ActName = Act['name']

/** Stripe's events that an act sends. */
export type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.async_payment_failed'
  | 'charge.refunded'
  | 'refund.created'
  | 'refund.failed'
  | 'charge.dispute.created'
  | 'charge.dispute.closed'

/** What it does to the session, and its events. */
export interface Transition {
  changes: Partial<Session>
  events: { type: EventType; refund?: Refund }[]
}

/** Returns ids that look like Stripe's but are recognisable: kind, the sandbox's mark, and 128 random bits. */
export const sandboxId = (prefix: 'cs' | 'pi' | 'evt' | 're' | 'dp'): string =>
  `${prefix}_sandbox_${randomBytes(16).toString('hex')}`

/** The status of the session. One that was open past its end counts as expired. */
export const statusOfSession = (
  { status, expiresAt }: Pick<Session, 'status' | 'expiresAt'>,
  now: number,
): Session['status'] => (status === 'open' && expiresAt <= now ? 'expired' : status)

/** Returns how much can still be refunded or disputed: nothing while the bank holds it, or has taken it back. */
export function refundableCents(session: Session): number {
  const { paymentStatus, disputeStatus, amountCents, refundedCents } = session
  const isOurs = paymentStatus === 'paid' && (disputeStatus === null || disputeStatus === 'won')
  return isOurs ? amountCents - refundedCents : 0
}

/** Whether its page offers only cards, which are confirmed immediately. */
export const takesCardsOnly = ({ parameters }: Pick<Session, 'parameters'>): boolean =>
  new URLSearchParams(parameters).getAll('allowed_payment_method_types[0]').join() === 'card'

/** Oldest first. */
const refundsOf = ({ refunds }: Pick<Session, 'refunds'>): Refund[] => JSON.parse(refunds)

/** Returns the acts that the session allows now. Each payment is disputed at most once. */
export function possibleActs(session: Session, now: number): ActName[] {
  const { paymentStatus, disputeStatus } = session
  const status = statusOfSession(session, now)
  if (status === 'open') return takesCardsOnly(session) ? ['pay'] : ['pay', 'pay_later']
  if (status === 'complete' && paymentStatus === 'unpaid') return ['succeed', 'fail']
  if (disputeStatus === 'open') return ['win', 'lose']
  const canRefund = refundableCents(session) > 0
  return [
    ...(canRefund ? (['refund'] as const) : []),
    ...(lastGiven(session) ? (['fail_refund'] as const) : []),
    ...(canRefund && disputeStatus === null ? (['dispute'] as const) : []),
    ...(disputeStatus === null ? [] : (['turn'] as const)),
  ]
}

const lastGiven = (session: Session): Refund | undefined =>
  refundsOf(session).findLast(({ status }) => status === 'succeeded')

/** Returns the effect of an act. @returns undefined if the session does not allow it, or not so large a refund */
export function transitionOf(act: Act, session: Session, now: number): Transition | undefined {
  if (!possibleActs(session, now).includes(act.name)) return undefined
  if (act.name === 'refund') return refund(session, act.amountCents, now)
  if (act.name === 'fail_refund') return failRefund(session)
  return TRANSITIONS[act.name](session)
}

function refund(session: Session, wanted: number | 'all', now: number): Transition | undefined {
  const refundable = refundableCents(session)
  const amountCents = wanted === 'all' ? refundable : wanted
  if (amountCents < 1 || amountCents > refundable) return undefined
  const made: Refund = { id: sandboxId('re'), amountCents, status: 'succeeded', createdAt: now }
  return {
    changes: {
      refunds: JSON.stringify([...refundsOf(session), made]),
      refundedCents: session.refundedCents + amountCents,
    },
    events: [{ type: 'refund.created', refund: made }, { type: 'charge.refunded' }],
  }
}

function failRefund(session: Session): Transition | undefined {
  const last = lastGiven(session)
  if (!last) return undefined
  const failed: Refund = { ...last, status: 'failed' }
  return {
    changes: {
      refunds: JSON.stringify(refundsOf(session).map(each => (each.id === last.id ? failed : each))),
      refundedCents: session.refundedCents - last.amountCents,
    },
    events: [{ type: 'refund.failed', refund: failed }],
  }
}

const TRANSITIONS: Record<Exclude<ActName, 'refund' | 'fail_refund'>, (session: Session) => Transition> = {
  pay: () => ({
    changes: { status: 'complete', paymentStatus: 'paid' },
    events: [{ type: 'checkout.session.completed' }],
  }),
  pay_later: () => ({ changes: { status: 'complete' }, events: [{ type: 'checkout.session.completed' }] }),
  succeed: () => ({
    changes: { paymentStatus: 'paid' },
    events: [{ type: 'checkout.session.async_payment_succeeded' }],
  }),
  fail: () => ({
    changes: { paymentStatus: 'failed' },
    events: [{ type: 'checkout.session.async_payment_failed' }],
  }),
  dispute: ({ amountCents, refundedCents }) => ({
    changes: {
      disputeId: sandboxId('dp'),
      disputeStatus: 'open',
      disputedCents: amountCents - refundedCents,
    },
    events: [{ type: 'charge.dispute.created' }],
  }),
  win: () => closed('won'),
  lose: () => closed('lost'),
  turn: ({ disputeStatus }) => closed(disputeStatus === 'won' ? 'lost' : 'won'),
}

const closed = (disputeStatus: 'won' | 'lost'): Transition => ({
  changes: { disputeStatus },
  events: [{ type: 'charge.dispute.closed' }],
})
