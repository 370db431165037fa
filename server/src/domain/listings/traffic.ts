import { randomBytes, hash as sha256 } from 'node:crypto'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import type { Selectable } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { clientPrefix } from '../../platform/http/client-address.ts'
import { daysMs, HOUR_MS, utcDay } from '../../platform/lib/time.ts'

interface TrafficDependencies {
  store: Store
  clock: () => number
}

type TrafficLog = Pick<FastifyBaseLogger, 'warn'>

/** Counts for one listing on one UTC day, or in one month. */
export type TrafficRow = Selectable<Database['listing_day']>

const FLUSH_EVERY_MS = 5000

/**
 * How many counts to hold, a few megabytes. If the database is unreachable for long, further listings are not counted.
 */
const HELD_MAX = 50_000

/**
 * Recognises what happens for the first time in an hour, so that repeating it counts nothing. Remembers keyed hashes in
 * memory. The key is random, belongs to this process and this hour, and is deleted with the hashes.
 */
export class CountedOnce {
  #hour: number | undefined
  #key = ''
  /** Oldest first. */
  #seen = new Set<number>()

  /** @param counts whether it counts at all, which is asked only the first time */
  isFirst(what: string, now: number, counts = () => true): boolean {
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#key = randomBytes(32).toString('hex')
      this.#seen.clear()
    }
    // 48 bits: with a hundred thousand hashes, a new one collides with a probability of one in billions.
    const hash = Number.parseInt(sha256('sha256', this.#key + what).slice(0, 12), 16)
    if (this.#seen.has(hash) || !counts()) return false
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.delete(this.#seen.values().next().value as number)
    this.#seen.add(hash)
    return true
  }
}

/**
 * Counts views of public pages and clicks to websites, per listing and UTC day: at most one of each per hour and client
 * address, so that repeating a request adds nothing. Uses no cookies and stores no addresses. Counts never affect rank.
 *
 * Counts stay in memory for a few seconds before they are stored, because a write for every view could overload the
 * database. A stop stores them; a killed process loses the last seconds. The counts of several instances add up.
 */
export class Traffic {
  readonly #deps: TrafficDependencies
  readonly #once = new CountedOnce()
  #held = new Map<string, TrafficRow>()
  #timer: NodeJS.Timeout | undefined
  #log: TrafficLog | undefined
  #line: Promise<boolean> = Promise.resolve(true)

  constructor(deps: TrafficDependencies) {
    this.#deps = deps
  }

  /** Starts storing counts every few seconds. */
  start(log?: TrafficLog): void {
    this.#log = log
    this.#timer ??= setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  /** Stores the remaining counts. Call it after the last request and before closing the store. */
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
      await this.#deps.store.transact(trx => addTraffic(trx, [...taken.values()]))
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
    return this.#once.isFirst(`${what} ${listingId} ${clientPrefix(request)}`, now, () => isBrowserVisit(request))
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

/** Adds views and clicks to those that are stored: always in the same order, so that two instances never deadlock. */
export async function addTraffic(trx: Trx, counts: TrafficRow[]): Promise<void> {
  counts.sort((a, b) => a.listingId - b.listingId || (a.day < b.day ? -1 : 1))
  for (const counted of counts) await addCount(trx, counted)
}

const addCount = statement({ listingId: 'bigint', day: 'text', views: 'bigint', clicks: 'bigint' }, (counted, db) =>
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
export type DayOfTraffic = Omit<TrafficRow, 'listingId'>

/**
 * A listing's counts for each of the last days, oldest first, ending today, including days without any. The last few
 * seconds may be missing.
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

/**
 * Returns whether a person opened a page in a browser: not a program, a prefetch, a link preview or a request from
 * within another page. A program that hides well enough counts as a person.
 */
function isBrowserVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false
  const purpose = `${headers['sec-purpose']} ${headers.purpose} ${headers['x-purpose']} ${headers['x-moz']}`
  if (/prefetch|prerender|preview/i.test(purpose)) return false
  const into = headers['sec-fetch-dest']
  if (into !== undefined && into !== 'document') return false
  const agent = headers['user-agent'] ?? ''
  return agent !== '' && !isbot(agent)
}

/** How much to remember per hour, a few megabytes at most. The oldest is forgotten first. */
const REMEMBERED_MAX = 100_000
