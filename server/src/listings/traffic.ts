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

/** Counts for one listing on one UTC day, not stored yet. */
interface Counted {
  listingId: number
  day: string
  views: number
  clicks: number
}

const FLUSH_EVERY_MS = 5000

/** How many counts to hold, a few megabytes. If the database is away for long, further listings are not counted. */
const HELD_MAX = 50_000

/**
 * Counts views of public pages and clicks to websites, per listing and UTC day: at most one of each per hour and client
 * address, so that repeating a request adds nothing. Uses no cookies and stores no addresses. Counts never affect rank.
 *
 * Counts stay in memory for a few seconds before they are stored, because a write for every view would be a way to wear
 * the database down. A stop stores them; a killed process loses the last seconds. Several instances add up.
 */
export class Traffic {
  readonly #deps: TrafficDependencies
  readonly #once = new CountedOnce()
  #held = new Map<string, Counted>()
  #timer: NodeJS.Timeout | undefined
  #log: TrafficLog | undefined
  /** Flushes run one after the other. */
  #line: Promise<boolean> = Promise.resolve(true)

  constructor(deps: TrafficDependencies) {
    this.#deps = deps
  }

  /** From now on, stores counts every few seconds. */
  start(log?: TrafficLog): void {
    this.#log = log
    this.#timer ??= setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  /** Stores what is left. Call it after the last request and before closing the store. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Counts a view of the public page, if a person opened it for the first time this hour. */
  view(listingId: number, request: FastifyRequest): void {
    const now = this.#deps.clock()
    if (this.#counts('view', listingId, request, now)) this.#add(listingId, utcDay(now), 1, 0)
  }

  /** Counts a click to the website, if a person made it for the first time this hour. */
  click(listingId: number, request: FastifyRequest): void {
    const now = this.#deps.clock()
    if (this.#counts('click', listingId, request, now)) this.#add(listingId, utcDay(now), 0, 1)
  }

  /** Stores all counts so far. Never throws: on failure it keeps them. @returns whether they are stored */
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
      this.#log?.warn({ err: error }, 'could not store views and clicks; keeping them in memory')
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
  // Always in the same order, so that two instances never deadlock.
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
 * A listing's counts for each of the last days, oldest first, ending today, including days without any. The last few
 * seconds may be missing.
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
