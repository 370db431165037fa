import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import Stripe from 'stripe'
import type { Links } from '../../http/links.ts'
import type { Secret } from '../../secret.ts'
import type { SandboxEventTable } from '../../storage/schema.ts'
import type { Store } from '../../storage/store.ts'

export type SandboxEvent = Selectable<SandboxEventTable>

export type DeliveryLog = Pick<FastifyBaseLogger, 'info' | 'warn'>

interface DeliveryDependencies {
  store: Store
  links: Links
  /** What deliveries are signed with. */
  secret: Secret
  clock: () => number
}

export const SANDBOX_WEBHOOK_PATH = '/webhooks/sandbox'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** From one attempt to the next. After the last, somebody has to say that it is sent again. */
const WAITS_MS = [
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  120 * MINUTE_MS,
  480 * MINUTE_MS,
] as const

/** Shorter than the first wait, so that an attempt is over when the next one may begin. */
const ANSWER_TIMEOUT_MS = 4 * SECOND_MS
const LOOK_EVERY_MS = 500

/** What is due, the longest waiting first. */
const dueEvents = ({ db }: Store, now: number): Promise<SandboxEvent[]> =>
  db
    .selectFrom('sandbox_event')
    .selectAll()
    .where('deliverAt', '<=', now)
    .orderBy('deliverAt')
    .orderBy('id')
    .limit(100)
    .execute()

/**
 * Sends stored events to the webhook, signed, each until it is accepted. What is due is decided by the clock and the
 * store alone, so nothing is lost by a crash, and several instances share the work.
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

  /** Looks for due events from now on. */
  start(log?: DeliveryLog): void {
    this.#log = log
    this.#looking = setInterval(() => {
      if (!this.#busy) void this.deliverDue()
    }, LOOK_EVERY_MS).unref()
  }

  /** Ends a delivery that is under way. None runs when this resolves, nor later. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#looking)
    await this.#line
  }

  /** Tries everything that is due once. Never throws: what did not succeed stays stored. */
  deliverDue(): Promise<void> {
    this.#line = this.#line.then(async () => {
      this.#busy = true
      await this.#deliverAll()
      this.#busy = false
    })
    return this.#line
  }

  async #deliverAll(): Promise<void> {
    const { store, clock } = this.#deps
    try {
      for (const event of await dueEvents(store, clock())) {
        if (this.#stop.signal.aborted) return
        await this.#deliver(event)
      }
    } catch (error) {
      this.#log?.warn(
        { err: error },
        'the sandbox cannot read or keep its events just now, and will try again',
      )
    }
  }

  async #deliver(event: SandboxEvent): Promise<void> {
    const { store, clock } = this.#deps
    const attempts = event.attempts + 1
    const nextAt = clock() + (WAITS_MS[event.attempts] ?? WAITS_MS.at(-1) ?? 0)
    if (!(await this.#claim(event, attempts, nextAt))) return
    const { accepted, answer } = await this.#send(event.payload)
    if (this.#stop.signal.aborted && !accepted) return
    await store.transact(async trx => {
      await trx
        .updateTable('sandbox_event')
        .set({ answer })
        .$if(accepted, update =>
          update.set({ deliveredAt: clock(), deliveries: sql`deliveries + 1`, attempts: 0 }),
        )
        .where('id', '=', event.id)
        .execute()
      if (!accepted && attempts <= WAITS_MS.length) return
      // Unless somebody has said meanwhile that it is sent again.
      await trx
        .updateTable('sandbox_event')
        .set({ deliverAt: null })
        .where('id', '=', event.id)
        .where('deliverAt', '=', nextAt)
        .execute()
    })
    this.#log?.info({ event: event.eventId, type: event.type, answer }, 'sandbox delivery')
  }

  /**
   * Sets the time of the next attempt before this one is made: should the process die now, it comes all the same, and
   * until then no other instance makes one.
   */
  async #claim(event: SandboxEvent, attempts: number, nextAt: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#deps.store.transact(trx =>
      trx
        .updateTable('sandbox_event')
        .set({ attempts, deliverAt: nextAt })
        .where('id', '=', event.id)
        .where('deliverAt', '=', event.deliverAt)
        .executeTakeFirst(),
    )
    return numUpdatedRows === 1n
  }

  async #send(payload: string): Promise<{ accepted: boolean; answer: string }> {
    const { links, secret, clock } = this.#deps
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: secret.reveal().toString(),
      timestamp: Math.floor(clock() / 1000),
    })
    try {
      const response = await fetch(`${links.base}${SANDBOX_WEBHOOK_PATH}`, {
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
