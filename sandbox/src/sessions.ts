import { type Refund, sandboxId, type Transition } from './acts.ts'
import type { Database, Order, Session } from './database.ts'
import { stripeEvent } from './stripe-objects.ts'

/** A request for a payment page. */
export interface Opening {
  /** A repeat with the same key returns the same payment page. */
  idempotencyKey: string | null
  /** What a repeat must send, too. */
  parameters: string
  order: Order
}

/** Stores a new payment page. @param now Unix milliseconds */
export function addSession(db: Database, { idempotencyKey, parameters, order }: Opening, now: number): Session {
  const session: Session = {
    ...order,
    id: sandboxId('cs'),
    idempotencyKey,
    parameters,
    paymentId: sandboxId('pi'),
    status: 'open',
    paymentStatus: 'unpaid',
    refundedCents: 0,
    refunds: JSON.stringify([] satisfies Refund[]),
    disputeId: null,
    disputedCents: 0,
    disputeStatus: null,
    createdAt: now,
  }
  const columns = Object.keys(session)
  const values = columns.map(column => `@${column}`)
  db.prepare(`insert into session (${columns.join(', ')}) values (${values.join(', ')})`).run(session)
  return session
}

export const findSession = (db: Database, id: string): Session | undefined =>
  db.prepare<[string], Session>('select * from session where id = ?').get(id)

/** The payment page that an earlier request opened with this key. */
export const sessionOfKey = (db: Database, idempotencyKey: string): Session | undefined =>
  db.prepare<[string], Session>('select * from session where idempotencyKey = ?').get(idempotencyKey)

export const newestSessions = (db: Database, count: number): Session[] =>
  db.prepare<[number], Session>('select * from session order by createdAt desc, id limit ?').all(count)

interface Telling {
  /** Unix milliseconds. */
  now: number
  /** When to send its events; null if only on request. */
  deliverAt: number | null
  livemode: boolean
}

/** Stores a change of a session together with its events. Call it in a transaction. */
export function recordTransition(
  db: Database,
  session: Session,
  { changes, events }: Transition,
  { now, deliverAt, livemode }: Telling,
): void {
  const columns = Object.keys(changes).map(column => `${column} = @${column}`)
  db.prepare(`update session set ${columns.join(', ')} where id = @id`).run({ ...changes, id: session.id })
  const after = { ...session, ...changes }
  const add = db.prepare(
    `insert into event (sessionId, eventId, type, payload, createdAt, deliverAt)
     values (@sessionId, @eventId, @type, @payload, @createdAt, @deliverAt)`,
  )
  for (const { type, refund } of events) {
    const eventId = sandboxId('evt')
    const event = stripeEvent(eventId, { type, session: after, refund }, { now, livemode })
    const payload = JSON.stringify(event)
    add.run({ sessionId: session.id, eventId, type, payload, createdAt: now, deliverAt })
  }
}

/**
 * Deletes unpaid payment pages that closed before `before`, and events older than it. Paid ones stay, because they can
 * still be refunded.
 */
export function forgetOld(db: Database, before: number): void {
  db.prepare("delete from session where status <> 'complete' and expiresAt < ?").run(before)
  db.prepare('delete from event where createdAt < ?').run(before)
}
