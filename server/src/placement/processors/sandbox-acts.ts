import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { SandboxSessionTable } from '../../storage/schema.ts'
import type { SandboxEventType } from './sandbox-objects.ts'

export type SandboxSession = Selectable<SandboxSessionTable>

/** What a person can let happen to a payment. */
export type Act =
  | { name: 'pay' | 'pay_later' | 'succeed' | 'fail' | 'dispute' | 'win' | 'lose' }
  /** `all`: whatever is left of the payment. */
  | { name: 'refund'; amountCents: number | 'all' }
export type ActName = Act['name']

/** What it does to the session, and the type of the event that tells of it. */
export interface Deed {
  changes: Partial<SandboxSession>
  type: SandboxEventType
}

/** Ids as the real ones look, but never to be taken for one: what it is, the sandbox's mark, and 128 random bits. */
export const sandboxId = (prefix: 'cs' | 'pi' | 'evt' | 'dp'): string =>
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

/** Which acts the session allows now. Each payment is disputed at most once. */
export function possibleActs(session: SandboxSession, now: number): ActName[] {
  const { payment_status, dispute_status } = session
  const status = statusOfSession(session, now)
  if (status === 'open') return ['pay', 'pay_later']
  if (status === 'complete' && payment_status === 'unpaid') return ['succeed', 'fail']
  if (dispute_status === 'open') return ['win', 'lose']
  if (refundableCents(session) === 0) return []
  return dispute_status === null ? ['refund', 'dispute'] : ['refund']
}

/** What an act does, where the session allows it. @returns undefined where it does not, or not so large a refund */
export function deedOf(act: Act, session: SandboxSession, now: number): Deed | undefined {
  if (!possibleActs(session, now).includes(act.name)) return undefined
  if (act.name !== 'refund') return DEEDS[act.name]()
  const refundable = refundableCents(session)
  const amountCents = act.amountCents === 'all' ? refundable : act.amountCents
  if (amountCents < 1 || amountCents > refundable) return undefined
  return { changes: { refunded_cents: session.refunded_cents + amountCents }, type: 'charge.refunded' }
}

const DEEDS: Record<Exclude<ActName, 'refund'>, () => Deed> = {
  pay: () => ({
    changes: { status: 'complete', payment_status: 'paid' },
    type: 'checkout.session.completed',
  }),
  pay_later: () => ({ changes: { status: 'complete' }, type: 'checkout.session.completed' }),
  succeed: () => ({
    changes: { payment_status: 'paid' },
    type: 'checkout.session.async_payment_succeeded',
  }),
  fail: () => ({ changes: { payment_status: 'failed' }, type: 'checkout.session.async_payment_failed' }),
  dispute: () => ({
    changes: { dispute_id: sandboxId('dp'), dispute_status: 'open' },
    type: 'charge.dispute.created',
  }),
  win: () => ({ changes: { dispute_status: 'won' }, type: 'charge.dispute.closed' }),
  lose: () => ({ changes: { dispute_status: 'lost' }, type: 'charge.dispute.closed' }),
}
