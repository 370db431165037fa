import { type Act, statusOfSession, transitionOf } from './acts.ts'
import { type Database, openDatabase, type Session, type StoredEvent } from './database.ts'
import { Deliveries, type DeliveryLog, type Webhook } from './deliveries.ts'
import {
  addSession,
  findSession,
  forgetOld,
  newestSessions,
  type Opening,
  recordTransition,
  sessionOfKey,
} from './sessions.ts'

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

  /** Deletes what is too old. Runs automatically at the start and daily. */
  forgetOld(): void {
    forgetOld(this.#db, this.clock() - LOOKED_UP_DAYS * DAY_MS)
  }

  /** Opens a payment page. @throws Error if the key has already opened one */
  openSession(opening: Opening): Session {
    return addSession(this.#db, opening, this.clock())
  }

  /** The payment page opened with this key, if any. */
  sessionOfKey(idempotencyKey: string): Session | undefined {
    return sessionOfKey(this.#db, idempotencyKey)
  }

  /** Closes an open payment page. @returns undefined if it is not open, or does not exist */
  expireSession(id: string): Session | undefined {
    return this.#db
      .transaction(() => {
        const session = findSession(this.#db, id)
        if (!session || statusOfSession(session, this.clock()) !== 'open') return undefined
        this.#db.prepare("update session set status = 'expired' where id = ?").run(id)
        return findSession(this.#db, id)
      })
      .immediate()
  }

  findSession(id: string): Session | undefined {
    return findSession(this.#db, id)
  }

  newestSessions(count: number): Session[] {
    return newestSessions(this.#db, count)
  }

  /** Returns the address where a person pays. */
  payUrl({ id }: Pick<Session, 'id'>): string {
    return `${this.baseUrl()}/sandbox/pay/${id}`
  }

  /** The events of a session, oldest first. */
  eventsOf({ id }: Pick<Session, 'id'>): StoredEvent[] {
    return this.#db.prepare<[string], StoredEvent>('select * from event where sessionId = ? order by id').all(id)
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
        const session = findSession(this.#db, sessionId)
        const transition = session && transitionOf(act, session, now)
        if (!transition) return false
        const { livemode } = this
        recordTransition(this.#db, session, transition, {
          now,
          deliverAt: deliverAt(delivery, now),
          livemode,
        })
        return true
      })
      .immediate()
    if (happened) await this.deliverDue()
    return happened
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
