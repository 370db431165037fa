import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { clientPrefix } from '../http/client-address.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { daysMs, utcDay } from '../time.ts'
import { isBrowserVisit } from './browser-visit.ts'
import { CountedOnce } from './counted-once.ts'

interface TrafficDependencies {
  store: Store
  clock: () => number
}

type TrafficLog = Pick<FastifyBaseLogger, 'warn'>

/** Of one listing on one UTC day, not stored yet. */
interface Counted {
  listingId: number
  day: string
  views: number
  clicks: number
}

const FLUSH_EVERY_MS = 5000

/** Counts held at once, some megabytes: while the database is away for long, further listings are not counted. */
const HELD_MAX = 50_000

/**
 * Counts views of public pages and clicks on the way out, per listing and UTC day: one of each in an hour for each client
 * address, so that nobody makes up numbers by asking again. No cookie, and no address is kept. They never touch rank.
 *
 * A count lives in memory until it is stored a few seconds later, or at a stop: a write for every view would be a way
 * to wear the database down. So a process that is killed loses the last seconds. Several instances add up.
 */
export class Traffic {
  readonly #deps: TrafficDependencies
  readonly #once = new CountedOnce()
  #held = new Map<string, Counted>()
  #timer: NodeJS.Timeout | undefined
  #log: TrafficLog | undefined
  /** One flush after the other. */
  #line: Promise<boolean> = Promise.resolve(true)

  constructor(deps: TrafficDependencies) {
    this.#deps = deps
  }

  /** Stores what was counted every few seconds from now on. */
  start(log?: TrafficLog): void {
    this.#log = log
    this.#timer ??= setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  /** Stores what is left. Call it when no more requests come, and before the store is closed. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Counts a look at the public page, if a person had it, and it is the first of this hour. */
  view(listingId: number, request: FastifyRequest): void {
    const now = this.#deps.clock()
    if (this.#counts('view', listingId, request, now)) this.#add(listingId, utcDay(now), 1, 0)
  }

  /** Counts a way out to the website, if a person took it, and it is the first of this hour. */
  click(listingId: number, request: FastifyRequest): void {
    const now = this.#deps.clock()
    if (this.#counts('click', listingId, request, now)) this.#add(listingId, utcDay(now), 0, 1)
  }

  /** Stores what was counted so far. Never throws: what cannot be stored is kept. @returns whether it is stored */
  flush(): Promise<boolean> {
    this.#line = this.#line.then(() => this.#flushHeld())
    return this.#line
  }

  async #flushHeld(): Promise<boolean> {
    if (this.#held.size === 0) return true
    const taken = this.#held
    this.#held = new Map()
    try {
      await add(this.#deps.store, [...taken.values()])
      return true
    } catch (error) {
      for (const { listingId, day, views, clicks } of taken.values()) {
        this.#add(listingId, day, views, clicks)
      }
      this.#log?.warn({ err: error }, 'views and clicks cannot be stored just now, and are kept in memory')
      return false
    }
  }

  #counts(what: 'view' | 'click', listingId: number, request: FastifyRequest, now: number): boolean {
    if (!isBrowserVisit(request)) return false
    return this.#once.isFirst(`${what} ${listingId} ${clientPrefix(request)}`, now)
  }

  #add(listingId: number, day: string, views: number, clicks: number): void {
    const key = `${listingId} ${day}`
    const counted = this.#held.get(key)
    if (counted) {
      counted.views += views
      counted.clicks += clicks
    } else if (this.#held.size < HELD_MAX) {
      this.#held.set(key, { listingId, day, views, clicks })
    }
  }
}

function add(store: Store, counts: Counted[]): Promise<void> {
  // In one order everywhere, so that two instances never wait for each other.
  counts.sort((a, b) => a.listingId - b.listingId || (a.day < b.day ? -1 : 1))
  return store.transact(async trx => {
    for (const counted of counts) await addCount(trx, counted)
  })
}

const addCount = statement(
  { listingId: 'bigint', day: 'text', views: 'bigint', clicks: 'bigint' },
  (counted, db) =>
    db
      .insertInto('listing_day')
      .values(counted)
      .onConflict(conflict =>
        conflict.columns(['listingId', 'day']).doUpdateSet(({ ref, eb }) => ({
          views: eb('listing_day.views', '+', ref('excluded.views')),
          clicks: eb('listing_day.clicks', '+', ref('excluded.clicks')),
        })),
      ),
)

/** Views and clicks of one UTC day. */
export interface DayOfTraffic {
  /** YYYY-MM-DD. */
  day: string
  views: number
  clicks: number
}

/**
 * What was counted for a listing on each of the last days, the oldest first, days without anything too. Today is the
 * last. What was counted in the last seconds is not in it yet.
 *
 * @param now in Unix milliseconds
 */
export async function readTraffic(
  store: Store,
  listingId: number,
  { days, now }: { days: number; now: number },
): Promise<DayOfTraffic[]> {
  const wanted = Array.from({ length: days }, (_, index) => utcDay(now - daysMs(days - 1 - index)))
  const rows = await store.db
    .selectFrom('listing_day')
    .select(['day', 'views', 'clicks'])
    .where('listingId', '=', listingId)
    .where('day', '>=', wanted[0] ?? '')
    .execute()
  const counted = new Map(rows.map(row => [row.day, row]))
  return wanted.map(day => counted.get(day) ?? { day, views: 0, clicks: 0 })
}
