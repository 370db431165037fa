import { sql } from 'kysely'
import { statement } from '../db/statement.ts'
import type { Store } from '../db/store.ts'
import type { Database } from '../db/tables/index.ts'
import { MINUTE_MS, utcDay } from '../lib/time.ts'
import { TAGS } from './tags.ts'

type MovedMoney = Pick<Database['processor_event'], 'processor' | 'paymentId' | 'kind'>

/** Changes of listings since the last query. */
export interface Changed {
  /** Decisions that hid, restored, ended, refreshed, moved or proved a listing: cached copies of it may be wrong. */
  acts: Act[]
  /** New listings. */
  added: { category: string }[]
  /**
   * Rows that were read before are gone: a standby that lagged was promoted, or a backup was restored. Any cached copy
   * may be wrong.
   */
  hasGoneBack: boolean
}

/** A row of a growing table. */
interface Row<Id> {
  id: Id
  /** Identifies the row, even if the database went back and assigned its id again. UUIDs need none. */
  key?: string
}

/** Finds the rows of a growing table that were not seen before. */
class NewRows<Id extends number | string> {
  readonly #lateAfter: (last: Id) => Id
  /** The key of each row that was seen and will be read again, by id. */
  readonly #seen = new Map<Id, string | undefined>()
  /** Rows above this id must be read again. */
  after: Id

  /**
   * @param last the highest id
   * @param lateAfter returns the id above which rows can still appear
   */
  constructor(last: Id, lateAfter: (last: Id) => Id) {
    this.#lateAfter = lateAfter
    this.after = lateAfter(last)
  }

  /**
   * Whether rows that were seen are gone, or others have their ids: rows are never deleted, so the database went back.
   *
   * @param rows above `after`
   */
  hasLost(rows: readonly Row<Id>[]): boolean {
    const keys = new Map(rows.map(({ id, key }) => [id, key]))
    return [...this.#seen].some(([id, key]) => !keys.has(id) || keys.get(id) !== key)
  }

  /** @param rows above `after`, by id @returns the new ones; they count as seen from now on */
  take<R extends Row<Id>>(rows: readonly R[]): R[] {
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id, key } of fresh) this.#seen.set(id, key)
    const newest = rows.at(-1)
    if (newest) this.after = this.#lateAfter(newest.id)
    for (const id of this.#seen.keys()) if (id <= this.after) this.#seen.delete(id)
    return fresh
  }
}

/** The last change of the boards that was seen. Payments make one after the other, under a lock. */
class LastPayment {
  #last = { version: 0, token: '' }

  /** Notes the last one. @returns whether the one that was seen before is gone, so the database went back */
  async look(store: Store): Promise<boolean> {
    const { version, token } = this.#last
    const changes = await changesFrom(store, { version })
    const [newest = { version: 0, token: '' }] = changes
    this.#last = newest
    // Old changes are deleted, so this one may be missing among newer ones.
    const there = changes.find(each => each.version === version)
    return newest.version < version || (there !== undefined && there.token !== token)
  }
}

/** Finds what changed on public pages, whichever process changed it. The first query only finds where to begin. */
export class Changes {
  #known: { acts: NewRows<string>; listed: NewRows<number> } | undefined
  readonly #lastPayment = new LastPayment()

  async look(store: Store): Promise<Changed> {
    const hasLostPayment = await this.#lastPayment.look(store)
    if (!this.#known) return this.#begin(store, false)
    const { acts, listed } = this.#known
    const done = await allAfter(acts.after, after => actsAfter(store, { id: after }))
    const added = await allAfter(listed.after, after => listedAfter(store, { id: after }))
    if (hasLostPayment || acts.hasLost(done) || listed.hasLost(added)) return this.#begin(store, true)
    return { acts: acts.take(done), added: listed.take(added), hasGoneBack: false }
  }

  /** Finds where to begin. */
  async #begin(store: Store, hasGoneBack: boolean): Promise<Changed> {
    const [last] = await lastIds(store, {})
    const acts = new NewRows(last?.act ?? '', lateDecisionsAfter)
    const listed = new NewRows(last?.listed ?? 0, id => Math.max(0, id - LATE_MAX))
    acts.take(await allAfter(acts.after, after => actsAfter(store, { id: after })))
    listed.take(await allAfter(listed.after, after => listedAfter(store, { id: after })))
    this.#known = { acts, listed }
    return { acts: [], added: [], hasGoneBack }
  }
}

/** Reads all rows above an id, a limited number at a time, because there can be very many. */
async function allAfter<Id, Row extends { id: Id }>(after: Id, read: (after: Id) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = []
  for (let last = after; ; ) {
    const rows = await read(last)
    all.push(...rows)
    const newest = rows.at(-1)
    if (!newest || rows.length < ROWS_AT_ONCE) return all
    last = newest.id
  }
}

/** Returns the tags of the pages that show a payment whose event was just applied. */
export async function tagsOfPayment(
  store: Store,
  { processor, paymentId, kind }: MovedMoney,
  now: number,
): Promise<string[]> {
  const [placed] = await placeOf(store, { processor, paymentId })
  if (!placed) return []
  const { slug, category, day } = placed
  // Only a plain payment of today changes no page of a past day.
  const isOfToday = kind === 'paid' && day === utcDay(now)
  return [
    ...[TAGS.board('all'), TAGS.board('today'), TAGS.board(category), TAGS.home, TAGS.listing(slug), TAGS.listings],
    ...(isOfToday ? [] : [TAGS.days]),
  ]
}

export interface Act {
  id: string
  kind: string
  slug: string
  category: string
  /** Null if it has a paid place. */
  expiresAt: number | null
}

const lastIds = statement(
  {},
  // The kinds are spelled as in the index.
  () => sql<{ act: string | null; listed: number | null }>`
    select (
        select max(id) from decision
        where kind in ('hide', 'restore', 'refresh', 'category', 'term', 'prove') and "listingId" is not null
      ) as act,
      (select max(id) from listing) as listed`,
)

/** More than the usual number of changes per minute. */
const ROWS_AT_ONCE = 1000
const AT_ONCE = sql.lit(ROWS_AT_ONCE)

const actsAfter = statement(
  { id: 'text' },
  ({ id }) => sql<Act>`
    select decision.id, kind, listing.slug, listing.category, listing."expiresAt"
    from decision join listing on listing.id = decision."listingId"
    where decision.id > ${id} and kind in ('hide', 'restore', 'refresh', 'category', 'term', 'prove')
    order by decision.id limit ${AT_ONCE}`,
)

const listedAfter = statement(
  { id: 'bigint' },
  ({ id }) => sql<{ id: number; key: string; category: string }>`
    select id, "destinationKey" as key, category from listing where id > ${id} order by id limit ${AT_ONCE}`,
)

const changesFrom = statement(
  { version: 'bigint' },
  ({ version }) => sql<{ version: number; token: string }>`
    select version, coalesce(token, '') as token from board_change
    where version >= ${version} order by version desc limit ${AT_ONCE}`,
)

const placeOf = statement(
  { processor: 'text', paymentId: 'text' },
  ({ processor, paymentId }) => sql<{ slug: string; category: string; day: string | null }>`
    select listing.slug, listing.category, payment.day
    from payment join listing on listing."destinationKey" = payment."destinationKey"
    where payment.processor = ${processor} and payment."paymentId" = ${paymentId}`,
)

/**
 * Ids of decisions contain the time at which an instance made them, before it committed. Clocks of instances differ a
 * little, so a decision can appear below one that was seen before. It must be within this time.
 */
const LATE_MAX_MS = MINUTE_MS

function lateDecisionsAfter(last: string): string {
  if (last === '') return ''
  const madeAt = Number.parseInt(last.slice(0, 13).replace('-', ''), 16)
  const text = Math.max(0, madeAt - LATE_MAX_MS)
    .toString(16)
    .padStart(12, '0')
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

/**
 * PostgreSQL assigns ids before the commit, so a row can appear below one that was seen before. It must be within this
 * many.
 */
const LATE_MAX = 200
