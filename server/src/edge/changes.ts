import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Repeated } from '../repeated.ts'
import type { ProcessorEventTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import { NewActs } from './new-acts.ts'
import { NewRows } from './new-rows.ts'
import { TAGS } from './tags.ts'

interface Hearing {
  /** Called with the tags of what changed; left out where nobody wants to know. */
  changed?: ((tags: readonly string[]) => void) | undefined
  /** Called when what was read before may no longer be shown: a listing was hidden, restored, ended, read again or moved. */
  moderated(): Promise<void>
  log: Pick<FastifyBaseLogger, 'info'>
}

type MovedMoney = Pick<ProcessorEventTable, 'processor' | 'paymentId' | 'kind'>

const LOOK_EVERY_MS = 1000

/**
 * Knows what changed on public pages. Listings and decisions are looked at once a second, since other processes
 * change them too. A payment is told by the instance that hears of it.
 */
export class Changes {
  readonly #store: Store
  readonly #acts = new NewActs()
  readonly #listed = new NewRows()
  #hasBegun = false
  #hearing: Hearing | undefined
  #looking: Repeated | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Looks once a second from now on, and tells at once that everything may have changed. */
  start(hearing: Hearing): void {
    this.#hearing = hearing
    this.#looking = new Repeated(
      () => this.#look(hearing),
      err => hearing.log.info({ err }, 'could not look at what changed; will retry'),
    )
    this.#looking.start(LOOK_EVERY_MS)
    void this.#looking.run()
  }

  /** Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    await this.#looking?.close()
  }

  /** Tells of a payment whose event was just applied. @param now Unix milliseconds */
  async paid({ processor, paymentId, kind }: MovedMoney, now: number): Promise<void> {
    if (!this.#hearing?.changed) return
    const [placed] = await placeOf(this.#store, { processor, paymentId })
    if (!placed) return
    const { slug, category, day } = placed
    // Only a plain payment of today changes no page of a past day.
    const isOfToday = kind === 'paid' && day === utcDay(now)
    this.#hearing.changed([
      ...[TAGS.board('all'), TAGS.board('today'), TAGS.board(category), TAGS.home, TAGS.listing(slug)],
      ...(isOfToday ? [] : [TAGS.days]),
    ])
  }

  /** The first time, only to learn where things stand. */
  async #look({ changed, moderated }: Hearing): Promise<void> {
    const isFirst = !this.#hasBegun
    if (isFirst) {
      const [last] = await lastIds(this.#store, {})
      this.#acts.last = last?.act ?? ''
      this.#listed.last = last?.listed ?? 0
    }
    const [done, listed] = await Promise.all([
      actsAfter(this.#store, { id: this.#acts.after }),
      listedAfter(this.#store, { id: this.#listed.after }),
    ])
    this.#hasBegun = true
    const [acts, added] = [this.#acts.take(done), this.#listed.take(listed)]
    if (isFirst) return changed?.([TAGS.site])
    const ofAdded = added.flatMap(({ category }) => [TAGS.home, TAGS.newest, TAGS.category(category)])
    const tags = new Set([...acts.flatMap(tagsOfAct), ...ofAdded])
    try {
      // First, so that a cache that asks again never gets what was read before.
      if (acts.length > 0) await moderated()
    } finally {
      if (tags.size > 0) changed?.([...tags])
    }
  }
}

interface Act {
  id: string
  kind: string
  slug: string
  category: string
  /** Null if it has a paid place. */
  expiresAt: number | null
}

const tagsOfAct = ({ kind, slug, category, expiresAt }: Act): string[] => [
  ...[TAGS.listing(slug), TAGS.home, TAGS.newest, TAGS.search, TAGS.category(category)],
  // The category that it left is not known any more.
  ...(kind === 'category' ? [TAGS.categories] : []),
  ...(expiresAt === null ? [TAGS.board('all'), TAGS.board('today'), TAGS.board(category), TAGS.days] : []),
]

const lastIds = statement(
  {},
  // The kinds are spelt as in the index.
  () => sql<{ act: string | null; listed: number | null }>`
    select (select max(id) from decision where kind in ('hide', 'restore', 'refresh', 'category', 'term')) as act,
      (select max(id) from listing) as listed`,
)

/** More than change in a second; the rest is found at the next look. */
const ROWS_MAX = sql.lit(1000)

const actsAfter = statement(
  { id: 'text' },
  ({ id }) => sql<Act>`
    select decision.id, kind, listing.slug, listing.category, listing."expiresAt"
    from decision join listing on listing.id = decision."listingId"
    where decision.id > ${id} and kind in ('hide', 'restore', 'refresh', 'category', 'term')
    order by decision.id limit ${ROWS_MAX}`,
)

const listedAfter = statement(
  { id: 'bigint' },
  ({ id }) => sql<{ id: number; category: string }>`
    select id, category from listing where id > ${id} order by id limit ${ROWS_MAX}`,
)

const placeOf = statement(
  { processor: 'text', paymentId: 'text' },
  ({ processor, paymentId }) => sql<{ slug: string; category: string; day: string | null }>`
    select listing.slug, listing.category, payment.day
    from payment join listing on listing."destinationKey" = payment."destinationKey"
    where payment.processor = ${processor} and payment."paymentId" = ${paymentId}`,
)
