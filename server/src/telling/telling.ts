import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Links } from '../http/links.ts'
import { Repeated } from '../repeated.ts'
import type { Store } from '../storage/store.ts'
import { daysMs, utcDay } from '../time.ts'
import { type Channel, channelsOf } from './channels.ts'
import { digestMessage, isDigestDue } from './digest.ts'
import { newsMessage } from './message.ts'
import { begin, chainedUpTo, type Leased, readState, resume, type State, settle } from './state.ts'
import { newBetween, type Told } from './waiting.ts'

interface TellingDependencies {
  store: Store
  clock: () => number
  links: Links
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

const LOOK_EVERY_MS = 5000
const MINUTE_MS = 60_000
/** Between two messages of a channel. What comes meanwhile is in the second. */
const BETWEEN_MS = 5 * MINUTE_MS
/** What goes by its time is told that much later, since a transaction may show it only when it ends. */
const SETTLED_MS = MINUTE_MS
/** Waits after the first failed attempt, the second, and so on; the last for all that follow. */
const WAITS_MS = [MINUTE_MS / 2, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS] as const
/** A message older than that is dropped: what it told of and still waits is in the digest. */
const GIVE_UP_MS = daysMs(1)

/**
 * Tells the operator what waits for a person, and gives a digest each day, by each channel that is set. Channels do not
 * wait for each other, nor does anything else for them. The database says what was told and who is telling it, so of
 * several instances one tells, and a kill repeats a message at worst, with the same id.
 */
export class Telling {
  readonly #deps: TellingDependencies
  readonly #stop = new AbortController()
  readonly #jobs: Repeated[]
  /** Channels whose last attempt failed, so that a failure is one line in the log, however long it lasts. */
  readonly #failing = new Set<string>()
  /** Up to where there was nothing new. It saves most looks their queries. */
  readonly #nothingUpTo = new Map<string, Told>()

  constructor(deps: TellingDependencies, settings: Config['telling']) {
    this.#deps = deps
    this.#jobs = channelsOf(settings, deps.links).map(
      channel =>
        new Repeated(
          () => this.#tell(channel),
          err => deps.log.info({ err, channel: channel.name }, 'could not look what to tell; will retry'),
        ),
    )
  }

  start(): void {
    for (const job of this.#jobs) job.start(LOOK_EVERY_MS)
  }

  /** One look, and what it finds to send. Never throws. */
  async look(): Promise<void> {
    await Promise.all(this.#jobs.map(job => job.run()))
  }

  /** Gives up an attempt under way: it is made again. Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#jobs.map(job => job.close()))
  }

  async #tell(channel: Channel): Promise<void> {
    const { store, clock } = this.#deps
    const now = clock()
    const state = await readState(store, channel.name, now)
    if (state.tryAt > now) return
    const leased = await this.#next(state, now)
    if (!leased || this.#stop.signal.aborted) return
    await this.#send(channel, leased)
  }

  /** The stored message, or a new one; undefined if there is nothing to tell, or another instance tells it. */
  async #next(state: State, now: number): Promise<Leased | undefined> {
    const { store, links } = this.#deps
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
    const seen = this.#nothingUpTo.get(channel)
    const from = {
      position: Math.max(state.toldPosition, seen?.position ?? 0),
      time: Math.max(state.toldTime, seen?.time ?? 0),
    }
    const to = {
      position: await chainedUpTo(store.db),
      time: Math.max(from.time, now - SETTLED_MS),
    }
    const news = await newBetween(store.db, from, to)
    if (news.length === 0) {
      this.#nothingUpTo.set(channel, to)
      return undefined
    }
    const told = { toldPosition: to.position, toldTime: to.time }
    return begin(store, state, newsMessage(news, links, now), told, now)
  }

  async #send(channel: Channel, leased: Leased): Promise<void> {
    const { store, clock, log } = this.#deps
    const about = { channel: channel.name, id: leased.message.id }
    try {
      await channel.send(leased.message, clock(), this.#stop.signal)
    } catch (error) {
      // It is sent again when the lease is over.
      if (this.#stop.signal.aborted) return
      if (!this.#failing.has(channel.name)) {
        log.warn({ ...about, why: whyOf(error) }, 'could not tell the operator; will retry for a day')
      }
      this.#failing.add(channel.name)
      const waitMs = WAITS_MS[leased.attempts - 1] ?? WAITS_MS[4]
      return settle(store, leased, { tryAt: clock() + waitMs, isOver: false })
    }
    if (this.#failing.delete(channel.name)) log.info(about, 'the operator could be told again')
    await settle(store, leased, { tryAt: clock() + BETWEEN_MS, isOver: true })
  }
}

function whyOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
