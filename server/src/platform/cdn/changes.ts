import { sql } from 'kysely'
import { statement } from '../db/statement.ts'
import type { Store } from '../db/store.ts'
import type { ProcessorEventTable } from '../db/tables/payments.ts'
import { utcDay } from '../lib/time.ts'
import { TAGS } from './tags.ts'

type MovedMoney = Pick<ProcessorEventTable, 'processor' | 'paymentId' | 'kind'>

/** What happened to listings since the last look. */
interface Changed {
  /** Hidden, restored, ended, read again or moved: what was read before may no longer be shown. */
  acts: Act[]
  /** New listings. */
  added: { category: string }[]
  /**
   * Rows that were seen are gone: a standby that lagged took over, or a backup was restored. Anything that was read before
   * may be wrong now.
   */
  hasGoneBack: boolean
}

/** Tells the decisions that were not seen before, by their ids, which are UUIDv7. */
class NewActs {
  /** The newest id that is known of. */
  last = ''
  readonly #seen = new Set<string>()

  /** Decisions above this text have to be read again. */
  get after(): string {
    if (this.last === '') return ''
    const madeAt = Number.parseInt(this.last.slice(0, 13).replace('-', ''), 16)
    const text = Math.max(0, madeAt - LATE_MAX_MS)
      .toString(16)
      .padStart(12, '0')
    return `${text.slice(0, 8)}-${text.slice(8)}`
  }

  /**
   * Whether the newest that is known of is no longer there: decisions are never deleted, so the database went back.
   *
   * @param rows above `after`
   */
  hasLost(rows: readonly { id: string }[]): boolean {
    return this.last !== '' && !rows.some(({ id }) => id === this.last)
  }

  /** @param rows above `after`, by id @returns those that are new; they count as seen from now on */
  take<Row extends { id: string }>(rows: readonly Row[]): Row[] {
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    const newest = rows.at(-1)?.id ?? ''
    if (newest > this.last) this.last = newest
    const { after } = this
    for (const id of this.#seen) if (id <= after) this.#seen.delete(id)
    return fresh
  }
}

/** Tells the rows of a growing table that were not seen before. */
class NewRows {
  /** The highest id that is known of. */
  last = 0
  /** Ids, with what the row of each is known by. */
  readonly #seen = new Map<number, string>()

  /** Rows above this id have to be read again. */
  get after(): number {
    return Math.max(0, this.last - LATE_MAX)
  }

  /**
   * Whether rows that were seen are no longer there, or others have their ids: the database went back, since none is ever
   * deleted.
   *
   * @param rows above `after`
   */
  hasLost(rows: readonly Row[]): boolean {
    const keys = new Map(rows.map(({ id, key }) => [id, key]))
    return (this.last > 0 && !keys.has(this.last)) || [...this.#seen].some(([id, key]) => keys.get(id) !== key)
  }

  /** @param rows above `after`, by id @returns those that are new; they count as seen from now on */
  take<R extends Row>(rows: readonly R[]): R[] {
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id, key } of fresh) this.#seen.set(id, key)
    this.last = Math.max(this.last, rows.at(-1)?.id ?? 0)
    for (const id of this.#seen.keys()) if (id <= this.after) this.#seen.delete(id)
    return fresh
  }
}

/** Looks what changed on public pages, in whichever process. The first look only learns where things stand. */
export class Changes {
  #acts = new NewActs()
  #listed = new NewRows()
  #hasBegun = false

  async look(store: Store): Promise<Changed> {
    if (!this.#hasBegun) return this.#begin(store, false)
    const done = await allAfter(this.#acts.after, after => actsAfter(store, { id: after }))
    const listed = await allAfter(this.#listed.after, after => listedAfter(store, { id: after }))
    if (this.#acts.hasLost(done) || this.#listed.hasLost(listed)) return this.#begin(store, true)
    return { acts: this.#acts.take(done), added: this.#listed.take(listed), hasGoneBack: false }
  }

  /** Learns where things stand. */
  async #begin(store: Store, hasGoneBack: boolean): Promise<Changed> {
    const [acts, listed] = [new NewActs(), new NewRows()]
    const [last] = await lastIds(store, {})
    acts.last = last?.act ?? ''
    listed.last = last?.listed ?? 0
    acts.take(await allAfter(acts.after, after => actsAfter(store, { id: after })))
    listed.take(await allAfter(listed.after, after => listedAfter(store, { id: after })))
    this.#acts = acts
    this.#listed = listed
    this.#hasBegun = true
    return { acts: [], added: [], hasGoneBack }
  }
}

/** Reads all rows above an id, some at a time, since very many may be as new as the newest. */
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

/** The tags of all that shows what changed. */
export const tagsOf = ({ acts, added }: Changed): string[] => [
  ...acts.flatMap(tagsOfAct),
  ...added.flatMap(({ category }) => [TAGS.home, TAGS.newest, TAGS.category(category)]),
]

/** The tags of what a payment changed whose event was just applied. @param now Unix milliseconds */
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
    ...[TAGS.board('all'), TAGS.board('today'), TAGS.board(category), TAGS.home, TAGS.listing(slug)],
    ...(isOfToday ? [] : [TAGS.days]),
  ]
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
    select (
        select max(id) from decision
        where kind in ('hide', 'restore', 'refresh', 'category', 'term') and "listingId" is not null
      ) as act,
      (select max(id) from listing) as listed`,
)

/** More than usually change in a minute. */
const ROWS_AT_ONCE = 1000
const AT_ONCE = sql.lit(ROWS_AT_ONCE)

const actsAfter = statement(
  { id: 'text' },
  ({ id }) => sql<Act>`
    select decision.id, kind, listing.slug, listing.category, listing."expiresAt"
    from decision join listing on listing.id = decision."listingId"
    where decision.id > ${id} and kind in ('hide', 'restore', 'refresh', 'category', 'term')
    order by decision.id limit ${AT_ONCE}`,
)

const listedAfter = statement(
  { id: 'bigint' },
  ({ id }) => sql<{ id: number; key: string; category: string }>`
    select id, "destinationKey" as key, category from listing where id > ${id} order by id limit ${AT_ONCE}`,
)

const placeOf = statement(
  { processor: 'text', paymentId: 'text' },
  ({ processor, paymentId }) => sql<{ slug: string; category: string; day: string | null }>`
    select listing.slug, listing.category, payment.day
    from payment join listing on listing."destinationKey" = payment."destinationKey"
    where payment.processor = ${processor} and payment."paymentId" = ${paymentId}`,
)

/**
 * Decisions are counted by when their ids were made, which several instances do by clocks that differ a little, and
 * before they are committed. So one can appear below another that was seen before; it has to be within this time.
 */
const LATE_MAX_MS = 60_000

/**
 * PostgreSQL counts ids when they are taken, not when they are committed, so a row can appear below one that was seen
 * before. It has to be within this many.
 */
const LATE_MAX = 200

interface Row {
  id: number
  /** What it is known by, in whichever history. */
  key: string
}
