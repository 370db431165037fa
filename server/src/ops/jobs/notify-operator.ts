import type { FastifyBaseLogger } from 'fastify'
import type { Selectable } from 'kysely'
import type { Channel, ChannelName } from '../../domain/notifications/operator/channels.ts'
import { digestMessage, isDigestDue } from '../../domain/notifications/operator/digest.ts'
import { type Message, newsMessage } from '../../domain/notifications/operator/message.ts'
import { newBetween, type Told } from '../../domain/notifications/operator/waiting.ts'
import { DueQueue } from '../../platform/db/due-queue.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import type { ToldTable } from '../../platform/db/tables/operator.ts'
import type { Links } from '../../platform/http/links.ts'
import { daysMs, MINUTE_MS, utcDay } from '../../platform/lib/time.ts'

interface TellingDependencies {
  clock: () => number
  links: Links
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Between two messages of a channel. What comes meanwhile is in the second. */
const BETWEEN_MS = 5 * MINUTE_MS

/** What goes by its time is told that much later, since a transaction may show it only when it ends. */
const SETTLED_MS = MINUTE_MS

/** Waits after the first failed attempt, the second, and so on; the last for all that follow. */
const WAITS_MS = [MINUTE_MS / 2, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS] as const

/** A message older than that is dropped: what it told of and still waits is in the digest. */
const GIVE_UP_MS = daysMs(1)

/**
 * Tells the operator by one channel what waits for a person, and gives a digest each day. The database says what was told
 * and whether somebody is telling it, so a kill repeats a message at worst, with the same id.
 */
export class Telling {
  readonly #deps: TellingDependencies
  readonly #channel: Channel
  /** Whether the last attempt failed, so that a failure is one line in the log, however long it lasts. */
  #isFailing = false
  /** Up to where there was nothing new. It saves most looks their queries. */
  #nothingUpTo: Told = { position: 0, time: 0 }

  constructor(deps: TellingDependencies, channel: Channel) {
    this.#deps = deps
    this.#channel = channel
  }

  /** One look, and what it finds to send. @param signal gives up an attempt under way: it is made again */
  async tell(store: Store, signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock()
    const state = await readState(store, this.#channel.name, now)
    if (state.tryAt > now) return
    const leased = await this.#next(store, state, now)
    if (!leased || signal.aborted) return
    await this.#send(store, leased, signal)
  }

  /** The stored message, or a new one; undefined if there is nothing to tell, or another process tells it. */
  async #next(store: Store, state: State, now: number): Promise<Leased | undefined> {
    const { links } = this.#deps
    const { channel, message, messageAt, tryAt } = state
    if (message !== null && messageAt !== null) {
      if (now - messageAt < GIVE_UP_MS) return resume(store, { ...state, message, messageAt }, now)
      this.#deps.log.warn({ channel }, 'gave up a message to the operator after a day')
      await settle(store, { channel, tryAt }, { tryAt: now, isOver: true })
      return undefined
    }
    if (isDigestDue(state.digestDay, now)) {
      const digest = await digestMessage(store.db, links, now)
      return begin(store, state, digest, { digestDay: utcDay(now) }, now)
    }
    const seen = this.#nothingUpTo
    const from = {
      position: Math.max(state.toldPosition, seen.position),
      time: Math.max(state.toldTime, seen.time),
    }
    const to = {
      position: await chainedUpTo(store.db),
      time: Math.max(from.time, now - SETTLED_MS),
    }
    const news = await newBetween(store.db, from, to)
    if (news.length === 0) {
      this.#nothingUpTo = to
      return undefined
    }
    const told = { toldPosition: to.position, toldTime: to.time }
    return begin(store, state, newsMessage(news, links, now), told, now)
  }

  async #send(store: Store, leased: Leased, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    const about = { channel: this.#channel.name, id: leased.message.id }
    try {
      await this.#channel.send(leased.message, clock(), signal)
    } catch (error) {
      // It is sent again when the lease is over.
      if (signal.aborted) return
      if (!this.#isFailing) {
        log.warn({ ...about, why: whyOf(error) }, 'could not tell the operator; will retry for a day')
      }
      this.#isFailing = true
      const waitMs = WAITS_MS[leased.attempts - 1] ?? WAITS_MS[4]
      return settle(store, leased, { tryAt: clock() + waitMs, isOver: false })
    }
    if (this.#isFailing) log.info(about, 'the operator could be told again')
    this.#isFailing = false
    await settle(store, leased, { tryAt: clock() + BETWEEN_MS, isOver: true })
  }
}

function whyOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

export type State = Selectable<ToldTable>

/** A message to send now. Nobody else sends it before the lease is over. */
export interface Leased {
  channel: ChannelName
  message: Message
  messageAt: number
  attempts: number
  tryAt: number
}

const messages = new DueQueue({ table: 'told', key: 'channel', dueAt: 'tryAt' })

/** Longer than any delivery takes. If the process dies meanwhile, the message is sent again then. */
const LEASE_MS = 2 * MINUTE_MS

/** The state of a channel. A new one begins now: what waits already is in the next digest. */
async function readState(store: Store, channel: ChannelName, now: number): Promise<State> {
  const known = await find(store.db, channel)
  if (known) return known
  await store.transact(async trx =>
    trx
      .insertInto('told')
      .values({
        ...{ channel, toldPosition: await chainedUpTo(trx), toldTime: now, digestDay: utcDay(now) },
        ...{ message: null, messageAt: null, tryAt: now },
      })
      .onConflict(conflict => conflict.column('channel').doNothing())
      .execute(),
  )
  return (await find(store.db, channel)) ?? readState(store, channel, now)
}

const find = (db: Db, channel: ChannelName) =>
  db.selectFrom('told').selectAll().where('channel', '=', channel).executeTakeFirst()

/** The last place in the chain of decisions. */
async function chainedUpTo(db: Db): Promise<number> {
  const head = await db
    .selectFrom('decision_chain')
    .select(eb => eb.fn.max('position').as('position'))
    .executeTakeFirst()
  return Number(head?.position ?? 0)
}

/**
 * Stores a new message with what it tells, and leases it.
 *
 * @returns undefined if another process was faster
 */
function begin(
  store: Store,
  state: State,
  message: Message,
  told: Partial<Pick<State, 'toldPosition' | 'toldTime' | 'digestDay'>>,
  now: number,
): Promise<Leased | undefined> {
  const fresh = { ...told, message: JSON.stringify(message), messageAt: now }
  return lease(store, state, { message, messageAt: now, attempts: 1 }, fresh, now)
}

/** Leases the stored message again. @returns undefined if another process was faster */
function resume(
  store: Store,
  state: State & { message: string; messageAt: number },
  now: number,
): Promise<Leased | undefined> {
  const { message, messageAt, attempts } = state
  return lease(store, state, { message: JSON.parse(message) as Message, messageAt, attempts: attempts + 1 }, {}, now)
}

async function lease(
  store: Store,
  { channel, tryAt }: State,
  leased: Pick<Leased, 'message' | 'messageAt' | 'attempts'>,
  fresh: Partial<State>,
  now: number,
): Promise<Leased | undefined> {
  const changes = { ...fresh, attempts: leased.attempts, tryAt: now + LEASE_MS }
  const held = await messages.lease(store, { channel, tryAt }, changes)
  return held && { ...leased, channel, tryAt: held.tryAt }
}

/** Ends a message that was sent or given up, or keeps it for another attempt. */
async function settle(
  store: Store,
  { channel, tryAt }: Pick<Leased, 'channel' | 'tryAt'>,
  next: { tryAt: number; isOver: boolean },
): Promise<void> {
  const over = next.isOver && { message: null, messageAt: null, attempts: 0 }
  await store.transact(trx => messages.settle(trx, { channel, tryAt }, { tryAt: next.tryAt, ...over }))
}
