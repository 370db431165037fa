import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { Secret } from '../../secret.ts'
import type { Store } from '../../storage/store.ts'
import type { Processor, ProcessorEvent, ProcessorSession, SessionOrder } from '../processor.ts'
import { readStripeEvent, verifyEvent } from '../stripe-events.ts'
import { type SandboxAction, type SandboxSession, statusOfSession, transitionOf } from './sandbox-acts.ts'
import {
  Deliveries,
  type DeliveryLog,
  SANDBOX_WEBHOOK_PATH,
  type SandboxEvent,
} from './sandbox-deliveries.ts'
import { lockSession, openSession, recordTransition } from './sandbox-sessions.ts'

/** When an event is sent: at once, five seconds later, or when somebody says so. */
export const DELIVERIES = ['now', 'soon', 'by_hand'] as const
export type Delivery = (typeof DELIVERIES)[number]

const SOON_MS = 5000

/**
 * A processor of our own that moves no money, to try everything with. It plays the part the way Stripe does: sessions
 * that expire, events of the same shapes, signed the same way and delivered to the webhook over HTTP, until accepted.
 */
export class Sandbox implements Processor {
  readonly name = 'sandbox'
  readonly webhookPath = SANDBOX_WEBHOOK_PATH
  readonly label = 'the sandbox'
  readonly #store: Store
  readonly #links: Links
  readonly #clock: () => number
  readonly #secret: Secret
  readonly #deliveries: Deliveries

  constructor(deps: {
    store: Store
    links: Links
    serviceKey: Secret
    clock: () => number
  }) {
    const { store, links, serviceKey, clock } = deps
    this.#store = store
    this.#links = links
    this.#clock = clock
    this.#secret = webhookSecret(serviceKey)
    this.#deliveries = new Deliveries({ store, links, secret: this.#secret, clock })
  }

  /** Begins to deliver events, those of an earlier life too. Call it once the service listens. */
  start(log?: DeliveryLog): void {
    this.#deliveries.start(log)
  }

  /** No delivery runs when this resolves, nor later. Call it before the store is closed. */
  close(): Promise<void> {
    return this.#deliveries.close()
  }

  /** Delivers what is due by the clock, without waiting for the next look. */
  deliverDue(): Promise<void> {
    return this.#deliveries.deliverDue()
  }

  async createSession(order: SessionOrder): Promise<string> {
    const now = this.#clock()
    const session = await answered(this.#store.transact(trx => openSession(trx, order, now)))
    return session.id
  }

  async readSession(sessionId: string): Promise<ProcessorSession> {
    const session = await answered(this.findSession(sessionId))
    const status = statusOfSession(session, this.#clock())
    return { status, url: status === 'open' ? `${this.#links.base}/sandbox/pay/${sessionId}` : null }
  }

  async expireSession(sessionId: string): Promise<'closed' | 'complete'> {
    await answered(
      this.#store.transact(trx =>
        trx
          .updateTable('sandbox_session')
          .set({ status: 'expired' })
          .where('id', '=', sessionId)
          .where('status', '=', 'open')
          .execute(),
      ),
    )
    const { status } = await this.readSession(sessionId)
    return status === 'complete' ? 'complete' : 'closed'
  }

  readEvent(rawBody: Buffer, signature: string | undefined, now: number): ProcessorEvent | undefined {
    return readStripeEvent(verifyEvent(rawBody, signature, this.#secret, now), this.name)
  }

  /** @returns undefined also where `sessionId` is no id at all */
  async findSession(sessionId: string): Promise<SandboxSession | undefined> {
    if (!/^cs_sandbox_[0-9a-f]{32}$/.test(sessionId)) return undefined
    return this.#store.db
      .selectFrom('sandbox_session')
      .selectAll()
      .where('id', '=', sessionId)
      .executeTakeFirst()
  }

  newestSessions(count: number): Promise<SandboxSession[]> {
    return this.#store.db
      .selectFrom('sandbox_session')
      .selectAll()
      .orderBy('createdAt', 'desc')
      .orderBy('id')
      .limit(count)
      .execute()
  }

  /** The events of a session, oldest first. */
  eventsOf({ id }: SandboxSession): Promise<SandboxEvent[]> {
    return this.#store.db
      .selectFrom('sandbox_event')
      .selectAll()
      .where('sessionId', '=', id)
      .orderBy('id')
      .execute()
  }

  /**
   * Lets something happen to a payment, and delivers the event that tells of it: one that is due at once has been tried
   * when this resolves, as Stripe does before it sends a payer back.
   *
   * @returns false where the session does not allow it, or no more: of two acts at the same time one comes first
   */
  async act(sessionId: string, act: SandboxAction, delivery: Delivery): Promise<boolean> {
    const now = this.#clock()
    const happened = await this.#store.transact(async trx => {
      const session = await lockSession(this.#store, trx, sessionId)
      const transition = session && transitionOf(act, session, now)
      if (!transition) return false
      await recordTransition(trx, session, transition, { now, deliverAt: deliverAt(delivery, now) })
      return true
    })
    if (happened) await this.deliverDue()
    return happened
  }

  /** Delivers an event of a session now, whether it waits or was delivered before. @returns false if there is none */
  async deliverAgain({ id }: SandboxSession, eventId: string): Promise<boolean> {
    if (!/^evt_sandbox_[0-9a-f]{32}$/.test(eventId)) return false
    const { numUpdatedRows } = await this.#store.transact(trx =>
      trx
        .updateTable('sandbox_event')
        .set({ deliverAt: this.#clock(), attempts: 0 })
        .where('sessionId', '=', id)
        .where('eventId', '=', eventId)
        .executeTakeFirst(),
    )
    await this.deliverDue()
    return numUpdatedRows === 1n
  }
}

/** What the store answers. @throws Problem payments_unavailable where it fails, or knows of nothing */
async function answered<T>(answer: Promise<T | undefined>): Promise<T> {
  const found = await answer.catch(cause => {
    throw new Problem('payments_unavailable', { cause })
  })
  if (found === undefined) throw new Problem('payments_unavailable')
  return found
}

/** Derived, so that there is nothing to set up; it looks like Stripe's. */
const webhookSecret = (serviceKey: Secret): Secret => {
  const bytes = serviceKey.derive('placard sandbox webhook').reveal()
  return new Secret(Buffer.from(`whsec_${bytes.toString('base64url')}`))
}

function deliverAt(delivery: Delivery, now: number): number | null {
  if (delivery === 'by_hand') return null
  return delivery === 'soon' ? now + SOON_MS : now
}
