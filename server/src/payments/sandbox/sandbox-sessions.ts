import type { Store, Trx } from '../../storage/store.ts'
import type { SessionOrder } from '../processor.ts'
import { sessionEnd } from '../session-end.ts'
import { type SandboxSession, sandboxId, type Transition } from './sandbox-acts.ts'
import { sandboxEvent } from './sandbox-objects.ts'

/**
 * Opens a session, or finds the one that was opened for this checkout before.
 *
 * @returns undefined where that one is for another order: as with Stripe, a key stands for one and never for another
 */
export async function openSession(
  trx: Trx,
  order: SessionOrder,
  now: number,
): Promise<SandboxSession | undefined> {
  await trx
    .insertInto('sandbox_session')
    .values(newSession(order, now))
    .onConflict(conflict => conflict.column('idempotencyKey').doNothing())
    .execute()
  return trx
    .selectFrom('sandbox_session')
    .selectAll()
    .where(({ and }) => and(termsOf(order)))
    .executeTakeFirst()
}

/** What a repeat must say again. */
const termsOf = (order: SessionOrder) => ({
  idempotencyKey: order.checkoutId,
  checkoutId: order.checkoutId,
  description: order.description,
  amountCents: order.amountCents,
  successUrl: order.successUrl,
  cancelUrl: order.cancelUrl,
  expiresAt: sessionEnd(order),
})

const newSession = (order: SessionOrder, now: number): SandboxSession => ({
  ...termsOf(order),
  id: sandboxId('cs'),
  paymentId: sandboxId('pi'),
  status: 'open',
  paymentStatus: 'unpaid',
  refundedCents: 0,
  refunds: '[]',
  disputeId: null,
  disputedCents: 0,
  disputeStatus: null,
  createdAt: now,
})

/** Reads a session for a change that depends on it. On SQLite every transaction is alone already. */
export const lockSession = (
  { engine }: Pick<Store, 'engine'>,
  trx: Trx,
  sessionId: string,
): Promise<SandboxSession | undefined> =>
  trx
    .selectFrom('sandbox_session')
    .selectAll()
    .where('id', '=', sessionId)
    .$if(engine === 'postgres', query => query.forUpdate())
    .executeTakeFirst()

/** Stores what happened to a session together with the events that tell of it: neither is ever without the other. */
export async function recordTransition(
  trx: Trx,
  session: SandboxSession,
  { changes, events }: Transition,
  { now, deliverAt }: { now: number; deliverAt: number | null },
): Promise<void> {
  await trx.updateTable('sandbox_session').set(changes).where('id', '=', session.id).execute()
  const after = { ...session, ...changes }
  const rows = events.map(({ type, refund }) => {
    const eventId = sandboxId('evt')
    return {
      sessionId: session.id,
      eventId,
      type,
      payload: JSON.stringify(sandboxEvent(eventId, { type, session: after, refund }, now)),
      createdAt: now,
      deliverAt,
      attempts: 0,
      deliveries: 0,
      deliveredAt: null,
      answer: null,
    }
  })
  await trx.insertInto('sandbox_event').values(rows).execute()
}
