import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { SandboxSessionTable } from '../../storage/schema.ts'
import type { SandboxEventType } from './sandbox-objects.ts'

export type SandboxSession = Selectable<SandboxSessionTable>

/** One refund of a session, as `refunds` keeps them. */
export interface SandboxRefund {
  id: string
  amountCents: number
  status: 'succeeded' | 'failed'
  /** Unix milliseconds. */
  createdAt: number
}

/**
 * What a person can let happen to a payment. `fail_refund`: the newest refund that has not failed does. `turn`: a dispute
 * that was won is lost after all, or the other way round.
 */
export type Act =
  | { name: 'pay' | 'pay_later' | 'succeed' | 'fail' | 'fail_refund' | 'dispute' | 'win' | 'lose' | 'turn' }
  /** `all`: whatever is left of the payment. */
  | { name: 'refund'; amountCents: number | 'all' }
export type ActName = Act['name']

/** What it does to the session, and the events that tell of it. */
export interface Deed {
  changes: Partial<SandboxSession>
  events: { type: SandboxEventType; refund?: SandboxRefund }[]
}

/** Ids as the real ones look, but never to be taken for one: what it is, the sandbox's mark, and 128 random bits. */
export const sandboxId = (prefix: 'cs' | 'pi' | 'evt' | 're' | 'dp'): string =>
  `${prefix}_sandbox_${randomBytes(16).toString('hex')}`

/** What the session says of itself. One that was left open past its time is closed, with nobody having closed it. */
export const statusOfSession = (
  { status, expires_at }: Pick<SandboxSession, 'status' | 'expires_at'>,
  now: number,
): SandboxSession['status'] => (status === 'open' && expires_at <= now ? 'expired' : status)

/** How much can still be given back or disputed: nothing while the bank holds it, or has taken it back. */
export function refundableCents(session: SandboxSession): number {
  const { payment_status, dispute_status, amount_cents, refunded_cents } = session
  const isOurs = payment_status === 'paid' && (dispute_status === null || dispute_status === 'won')
  return isOurs ? amount_cents - refunded_cents : 0
}

/** Oldest first. */
const refundsOf = ({ refunds }: Pick<SandboxSession, 'refunds'>): SandboxRefund[] => JSON.parse(refunds)

/** Which acts the session allows now. Each payment is disputed at most once. */
export function possibleActs(session: SandboxSession, now: number): ActName[] {
  const { payment_status, dispute_status } = session
  const status = statusOfSession(session, now)
  if (status === 'open') return ['pay', 'pay_later']
  if (status === 'complete' && payment_status === 'unpaid') return ['succeed', 'fail']
  if (dispute_status === 'open') return ['win', 'lose']
  const canRefund = refundableCents(session) > 0
  return [
    ...(canRefund ? (['refund'] as const) : []),
    ...(lastGiven(session) ? (['fail_refund'] as const) : []),
    ...(canRefund && dispute_status === null ? (['dispute'] as const) : []),
    ...(dispute_status === null ? [] : (['turn'] as const)),
  ]
}

const lastGiven = (session: SandboxSession): SandboxRefund | undefined =>
  refundsOf(session).findLast(({ status }) => status === 'succeeded')

/** What an act does, where the session allows it. @returns undefined where it does not, or not so large a refund */
export function deedOf(act: Act, session: SandboxSession, now: number): Deed | undefined {
  if (!possibleActs(session, now).includes(act.name)) return undefined
  if (act.name === 'refund') return refund(session, act.amountCents, now)
  if (act.name === 'fail_refund') return failRefund(session)
  return DEEDS[act.name](session)
}

function refund(session: SandboxSession, wanted: number | 'all', now: number): Deed | undefined {
  const refundable = refundableCents(session)
  const amountCents = wanted === 'all' ? refundable : wanted
  if (amountCents < 1 || amountCents > refundable) return undefined
  const made: SandboxRefund = { id: sandboxId('re'), amountCents, status: 'succeeded', createdAt: now }
  return {
    changes: {
      refunds: JSON.stringify([...refundsOf(session), made]),
      refunded_cents: session.refunded_cents + amountCents,
    },
    events: [{ type: 'refund.created', refund: made }, { type: 'charge.refunded' }],
  }
}

function failRefund(session: SandboxSession): Deed | undefined {
  const last = lastGiven(session)
  if (!last) return undefined
  const failed: SandboxRefund = { ...last, status: 'failed' }
  return {
    changes: {
      refunds: JSON.stringify(refundsOf(session).map(each => (each.id === last.id ? failed : each))),
      refunded_cents: session.refunded_cents - last.amountCents,
    },
    events: [{ type: 'refund.failed', refund: failed }],
  }
}

const DEEDS: Record<Exclude<ActName, 'refund' | 'fail_refund'>, (session: SandboxSession) => Deed> = {
  pay: () => ({
    changes: { status: 'complete', payment_status: 'paid' },
    events: [{ type: 'checkout.session.completed' }],
  }),
  pay_later: () => ({ changes: { status: 'complete' }, events: [{ type: 'checkout.session.completed' }] }),
  succeed: () => ({
    changes: { payment_status: 'paid' },
    events: [{ type: 'checkout.session.async_payment_succeeded' }],
  }),
  fail: () => ({
    changes: { payment_status: 'failed' },
    events: [{ type: 'checkout.session.async_payment_failed' }],
  }),
  dispute: ({ amount_cents, refunded_cents }) => ({
    changes: {
      dispute_id: sandboxId('dp'),
      dispute_status: 'open',
      disputed_cents: amount_cents - refunded_cents,
    },
    events: [{ type: 'charge.dispute.created' }],
  }),
  win: () => closed('won'),
  lose: () => closed('lost'),
  turn: ({ dispute_status }) => closed(dispute_status === 'won' ? 'lost' : 'won'),
}

const closed = (dispute_status: 'won' | 'lost'): Deed => ({
  changes: { dispute_status },
  events: [{ type: 'charge.dispute.closed' }],
})
