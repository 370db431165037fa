import { type Act, sandboxId, statusOfSession, type Transition, transitionOf } from './acts.ts'
import { type Database, type Order, openDatabase, type Session, type StoredEvent } from './database.ts'
import { Deliveries, type DeliveryLog, type Webhook } from './deliveries.ts'
import { stripeEvent } from './stripe-objects.ts'

/** When an event is sent: at once, five seconds later, or on request. */
export const DELIVERIES = ['now', 'soon', 'by_hand'] as const
export type Delivery = (typeof DELIVERIES)[number]

export interface SandboxOptions {
  /** SQLite file of its own, or `:memory:`. */
  file: string
  /** Origin of the pages. Called only when needed, so it may be known later. */
  baseUrl: () => string
  webhook: Webhook
  /** Unix milliseconds. */
  clock?: () => number
  /** The mode that its objects and events claim. Tests of real money set it; no money moves either way. */
  livemode?: boolean
  /** Addresses that can open its pages, in addition to loopback. */
  from?: readonly string[]
}

/** A request for a payment page. */
interface Opening {
  /** A repeat with the same key returns the same payment page. */
  idempotencyKey: string | null
  /** What a repeat must send, too. */
  parameters: string
  order: Order
}

const SOON_MS = 5000
const DAY_MS = 24 * 60 * 60 * 1000
/** How long to keep unpaid payment pages, and events. */
const LOOKED_UP_DAYS = 90

/**
 * A stand-in for Stripe that moves no money. It has payment pages that expire, and events in Stripe's format. It signs
 * them like Stripe and delivers them to the webhook over HTTP until they are accepted. `startApi` serves its API,
 * `sandboxPages` its pages.
 */
export class Sandbox {
  readonly baseUrl: () => string
  readonly clock: () => number
  readonly livemode: boolean
  readonly from: readonly string[]
  readonly #db: Database
  readonly #deliveries: Deliveries
  #forgetting: NodeJS.Timeout | undefined

  constructor({ file, baseUrl, webhook, clock = Date.now, livemode = false, from = [] }: SandboxOptions) {
    this.baseUrl = baseUrl
    this.clock = clock
    this.livemode = livemode
    this.from = from
    this.#db = openDatabase(file)
    this.#deliveries = new Deliveries({ db: this.#db, webhook, clock })
  }

  /** Starts to deliver events, including those of an earlier run. Call it when the webhook can be reached. */
  start(log?: DeliveryLog): void {
    this.#deliveries.start(log)
    this.forgetOld()
    this.#forgetting = setInterval(() => this.forgetOld(), DAY_MS).unref()
  }

  /** When this resolves, no delivery runs any more. */
  async close(): Promise<void> {
    clearInterval(this.#forgetting)
    await this.#deliveries.close()
    this.#db.close()
  }

  /** Delivers what is due now, without waiting for the next check. */
  deliverDue(): Promise<void> {
    return this.#deliveries.deliverDue()
  }

  /**
   * Deletes unpaid payment pages that closed too long ago, and events as old. Paid pages stay, because they can still be
   * refunded. Runs automatically at the start and daily.
   */
  forgetOld(): void {
    const before = this.clock() - LOOKED_UP_DAYS * DAY_MS
    this.#db.prepare("delete from session where status <> 'complete' and expiresAt < ?").run(before)
    this.#db.prepare('delete from event where createdAt < ?').run(before)
  }

  /** Opens a payment page. @throws Error if the key has already opened one */
  openSession({ idempotencyKey, parameters, order }: Opening): Session {
    const session: Session = {
      ...order,
      id: sandboxId('cs'),
      idempotencyKey,
      parameters,
      paymentId: sandboxId('pi'),
      status: 'open',
      paymentStatus: 'unpaid',
      refundedCents: 0,
      refunds: '[]',
      disputeId: null,
      disputedCents: 0,
      disputeStatus: null,
      createdAt: this.clock(),
    }
    const columns = Object.keys(session)
    const values = columns.map(column => `@${column}`)
    this.#db.prepare(`insert into session (${columns.join(', ')}) values (${values.join(', ')})`).run(session)
    return session
  }

  /** The payment page opened with this key, if any. */
  sessionOfKey(idempotencyKey: string): Session | undefined {
    return this.#db.prepare<[string], Session>('select * from session where idempotencyKey = ?').get(idempotencyKey)
  }

  /** Closes an open payment page. @returns undefined if it is not open, or does not exist */
  expireSession(id: string): Session | undefined {
    return this.#db
      .transaction(() => {
        const session = this.findSession(id)
        if (!session || statusOfSession(session, this.clock()) !== 'open') return undefined
        this.#db.prepare("update session set status = 'expired' where id = ?").run(id)
        return this.findSession(id)
      })
      .immediate()
  }

  findSession(id: string): Session | undefined {
    return this.#db.prepare<[string], Session>('select * from session where id = ?').get(id)
  }

  newestSessions(count: number): Session[] {
    return this.#db.prepare<[number], Session>('select * from session order by createdAt desc, id limit ?').all(count)
  }

  /** Returns the address where a person pays. */
  payUrl({ id }: Pick<Session, 'id'>): string {
    return `${this.baseUrl()}/sandbox/pay/${id}`
  }

  /** The events of a session, oldest first. */
  eventsOf({ id }: Pick<Session, 'id'>): StoredEvent[] {
    return this.#db.prepare<[string], StoredEvent>('select * from event where sessionId = ? order by id').all(id)
  }

  /** Returns an event as it is sent; undefined if there is none with this id. */
  findEvent(eventId: string): string | undefined {
    return this.#db.prepare<[string], string>('select payload from event where eventId = ?').pluck().get(eventId)
  }

  /** Lists events, newest first, those before the event `after`; of all types if none is given. */
  listEvents({ types, after, limit }: { types: readonly string[]; after: string | undefined; limit: number }) {
    const found = this.#db
      .prepare<[{ types: string; after: string | null; limit: number }], StoredEvent>(
        `select * from event
         where id < coalesce((select id from event where eventId = @after), 9e15)
           and (@types = '[]' or type in (select value from json_each(@types)))
         order by id desc limit @limit`,
      )
      .all({ types: JSON.stringify(types), after: after ?? null, limit: limit + 1 })
    return { events: found.slice(0, limit), hasMore: found.length > limit }
  }

  /**
   * Applies an act to a payment, and delivers its event. When this resolves, an event that is due at once has been
   * tried, as Stripe does before it sends a payer back.
   *
   * @returns false if the session does not allow it, or no longer does: of two acts at the same time, one comes first
   */
  async act(sessionId: string, act: Act, delivery: Delivery): Promise<boolean> {
    const now = this.clock()
    const happened = this.#db
      .transaction(() => {
        const session = this.findSession(sessionId)
        const transition = session && transitionOf(act, session, now)
        if (!transition) return false
        this.#record(session, transition, now, deliverAt(delivery, now))
        return true
      })
      .immediate()
    if (happened) await this.deliverDue()
    return happened
  }

  /** Stores a change of a session together with its events. Call it in a transaction. */
  #record(session: Session, { changes, events }: Transition, now: number, deliverAt: number | null): void {
    const columns = Object.keys(changes).map(column => `${column} = @${column}`)
    this.#db.prepare(`update session set ${columns.join(', ')} where id = @id`).run({ ...changes, id: session.id })
    const after = { ...session, ...changes }
    const add = this.#db.prepare(
      `insert into event (sessionId, eventId, type, payload, createdAt, deliverAt)
       values (@sessionId, @eventId, @type, @payload, @createdAt, @deliverAt)`,
    )
    for (const { type, refund } of events) {
      const eventId = sandboxId('evt')
      const event = stripeEvent(eventId, { type, session: after, refund }, { now, livemode: this.livemode })
      const payload = JSON.stringify(event)
      add.run({ sessionId: session.id, eventId, type, payload, createdAt: now, deliverAt })
    }
  }

  /** Delivers an event of a session now, even if it was delivered before. @returns false if there is none */
  async deliverAgain({ id }: Pick<Session, 'id'>, eventId: string): Promise<boolean> {
    const { changes } = this.#db
      .prepare('update event set deliverAt = ?, attempts = 0 where sessionId = ? and eventId = ?')
      .run(this.clock(), id, eventId)
    await this.deliverDue()
    return changes === 1
  }
}

function deliverAt(delivery: Delivery, now: number): number | null {
  if (delivery === 'by_hand') return null
  return delivery === 'soon' ? now + SOON_MS : now
}
