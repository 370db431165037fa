import type { Board } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { boardKey } from '../boards/totals.ts'
import type { GuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import type { Links } from '../http/links.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import { Repeated } from '../repeated.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { ChangedBoards } from './changed-boards.ts'
import { checkPages } from './check-pages.ts'
import { comparePlaces, type Followed } from './compare-places.ts'
import { Deliveries } from './deliver.ts'
import { tellEnds } from './tell-ends.ts'

interface WatchingDependencies {
  store: Store
  clock: () => number
  links: Links
  serviceKeys: ServiceKeys
  /** Its own, with `FOLLOWED_FETCH_LIMITS`. */
  followedFetcher: GuardedFetcher
  /** Its own, with `WEBHOOK_FETCH_LIMITS`. */
  webhookFetcher: GuardedFetcher
  log: Pick<FastifyBaseLogger, 'info'>
}

const LOOK_EVERY_MS = 1000
const TELL_ENDS_EVERY_MS = 60_000
const BATCH = 200

/**
 * Looks after the listings that somebody follows: compares their places on boards that changed, tells of ends that are
 * near, loads their pages once a day, and delivers what was told to webhooks. The store says what was told, so a crash
 * loses nothing, and any number of instances tell once. Where nobody follows anything, it looks at three empty indexes a
 * second.
 */
export class Watching {
  readonly #deps: WatchingDependencies
  readonly #stop = new AbortController()
  readonly #boards: ChangedBoards
  readonly #deliveries: Deliveries
  readonly #jobs: Repeated[]
  #endsToldAt = Number.NEGATIVE_INFINITY

  constructor(deps: WatchingDependencies) {
    const { store, clock, followedFetcher, webhookFetcher, log } = deps
    this.#deps = deps
    this.#boards = new ChangedBoards(store)
    const failed = (error: unknown) =>
      log.info({ err: error }, 'could not look after followed listings; will retry')
    this.#deliveries = new Deliveries({ ...deps, fetcher: webhookFetcher }, failed)
    this.#jobs = [
      new Repeated(() => this.#look(), failed),
      new Repeated(() => checkPages({ store, clock, fetcher: followedFetcher }, this.#stop.signal), failed),
      new Repeated(() => this.#deliveries.begin(this.#stop.signal), failed),
    ]
  }

  start(): void {
    for (const job of this.#jobs) job.start(LOOK_EVERY_MS)
  }

  /** Aborts visits in progress. Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#jobs.map(job => job.close()))
    await this.#deliveries.settled()
  }

  async #look(): Promise<void> {
    const { store, clock } = this.#deps
    const now = clock()
    if ((await anyFollowed(store, {})).length === 0) return
    await this.#boards.forEach(now, board => this.#compareAll(board, now))
    if (Math.abs(now - this.#endsToldAt) < TELL_ENDS_EVERY_MS) return
    await tellEnds(store, now)
    this.#endsToldAt = now
  }

  async #compareAll(board: Board, now: number): Promise<void> {
    const { store } = this.#deps
    const on = { board, boardKey: boardKey(board, now) }
    for (let after = 0; !this.#stop.signal.aborted; ) {
      const followed = await followedOn(store, { ...on, after })
      for (const each of followed) await comparePlaces(store, each, now, [board])
      const last = followed.at(-1)
      if (!last || followed.length < BATCH) return
      after = last.listingId
    }
  }
}

const anyFollowed = statement({}, (_, db) =>
  db.selectFrom('watch').select('listingId').where('checkAt', 'is not', null).limit(sql.lit(1)),
)

/** Followed listings that have a place on a board, or had one when it was last compared. */
const followedOn = statement(
  { board: 'text', boardKey: 'text', after: 'bigint' },
  ({ board, boardKey, after }) => sql<Followed>`
    select watch."listingId", listing."destinationKey" from watch
      join listing on listing.id = watch."listingId"
    where watch."checkAt" is not null and watch."listingId" > ${after} and (
      exists (select 1 from board_total as total
        where total.board = ${boardKey} and total."destinationKey" = listing."destinationKey")
      or exists (select 1 from watched_place as place
        where place."listingId" = watch."listingId" and place.board = ${board})
    )
    order by watch."listingId" limit ${sql.lit(BATCH)}`,
)
