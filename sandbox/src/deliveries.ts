import type { FastifyBaseLogger } from 'fastify'
import Stripe from 'stripe'
import type { Database, StoredEvent } from './database.ts'

export type DeliveryLog = Pick<FastifyBaseLogger, 'info' | 'warn'>

/** Where events are delivered, and the secret that signs them. */
export interface Webhook {
  url: () => string
  secret: string
}

interface DeliveryDependencies {
  db: Database
  webhook: Webhook
  clock: () => number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** From one attempt to the next. After the last, the event is sent again only on request. */
const WAITS_MS = [
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  120 * MINUTE_MS,
  480 * MINUTE_MS,
] as const

/** Shorter than the first wait, so that an attempt has ended when the next one begins. */
const ANSWER_TIMEOUT_MS = 4 * SECOND_MS
const LOOK_EVERY_MS = 500

/** Returns due events, the longest waiting first. */
const dueEvents = (db: Database, now: number): StoredEvent[] =>
  db
    .prepare<[number], StoredEvent>('select * from event where deliverAt <= ? order by deliverAt, id limit 100')
    .all(now)

/**
 * Sends stored events to the webhook, signed, each until it is accepted. The clock and the database alone decide what
 * is due, so a crash loses nothing, and several processes share the work.
 */
export class Deliveries {
  readonly #deps: DeliveryDependencies
  readonly #stop = new AbortController()
  #log: DeliveryLog | undefined
  #looking: NodeJS.Timeout | undefined
  #busy = false
  /** One after the other, so that events arrive in the order in which they became due. */
  #line: Promise<void> = Promise.resolve()

  constructor(deps: DeliveryDependencies) {
    this.#deps = deps
  }

  /** Starts checking for due events. */
  start(log?: DeliveryLog): void {
    this.#log = log
    this.#looking = setInterval(() => {
      if (!this.#busy) void this.deliverDue()
    }, LOOK_EVERY_MS).unref()
  }

  /** Ends the current delivery. When this resolves, none runs, and none will. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#looking)
    await this.#line
  }

  /** Tries every due event once. Never throws: failed ones stay stored. */
  deliverDue(): Promise<void> {
    this.#line = this.#line.then(async () => {
      this.#busy = true
      await this.#deliverAll()
      this.#busy = false
    })
    return this.#line
  }

  async #deliverAll(): Promise<void> {
    const { db, clock } = this.#deps
    if (this.#stop.signal.aborted) return
    try {
      for (const event of dueEvents(db, clock())) {
        if (this.#stop.signal.aborted) return
        await this.#deliver(event)
      }
    } catch (error) {
      this.#log?.warn({ err: error }, 'the sandbox could not read or store its events; will retry')
    }
  }

  async #deliver(event: StoredEvent): Promise<void> {
    const { db, clock } = this.#deps
    const attempts = event.attempts + 1
    const nextAt = clock() + (WAITS_MS[event.attempts] ?? WAITS_MS.at(-1) ?? 0)
    if (!this.#claim(event, attempts, nextAt)) return
    const { accepted, answer } = await this.#send(event.payload)
    if (this.#stop.signal.aborted && !accepted) return
    const isOver = accepted || attempts > WAITS_MS.length
    db.transaction(() => {
      db.prepare('update event set answer = ? where id = ?').run(answer, event.id)
      if (accepted) {
        db.prepare('update event set deliveredAt = ?, deliveries = deliveries + 1, attempts = 0 where id = ?').run(
          clock(),
          event.id,
        )
      }
      // Unless it was requested again in the meantime.
      if (isOver) {
        db.prepare('update event set deliverAt = null where id = ? and deliverAt = ?').run(event.id, nextAt)
      }
    }).immediate()
    this.#log?.info({ event: event.eventId, type: event.type, answer }, 'sandbox delivery')
  }

  /**
   * Sets the time of the next attempt before making this one. If the process dies, that attempt follows, and no other
   * process makes one before.
   */
  #claim({ id, deliverAt }: StoredEvent, attempts: number, nextAt: number): boolean {
    const { changes } = this.#deps.db
      .prepare('update event set attempts = ?, deliverAt = ? where id = ? and deliverAt = ?')
      .run(attempts, nextAt, id, deliverAt)
    return changes === 1
  }

  async #send(payload: string): Promise<{ accepted: boolean; answer: string }> {
    const { webhook, clock } = this.#deps
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: webhook.secret,
      timestamp: Math.floor(clock() / 1000),
    })
    try {
      const response = await fetch(webhook.url(), {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: payload,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      })
      await response.arrayBuffer()
      return { accepted: response.ok, answer: String(response.status) }
    } catch (error) {
      return { accepted: false, answer: whyNoAnswer(error as Error) }
    }
  }
}

function whyNoAnswer({ name, cause }: Error): string {
  if (name === 'TimeoutError') return `no answer within ${ANSWER_TIMEOUT_MS / SECOND_MS} seconds`
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code === undefined ? 'no answer' : `no answer (${code})`
}
