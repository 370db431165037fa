import { sql } from 'kysely'
import type { ProcessorEventTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import { NewActs } from './new-acts.ts'
import { NewRows } from './new-rows.ts'
import { TAGS } from './tags.ts'

type MovedMoney = Pick<ProcessorEventTable, 'processor' | 'paymentId' | 'kind'>

/** What happened to listings since the last look. */
interface Changed {
  /** Hidden, restored, ended, read again or moved: what was read before may no longer be shown. */
  acts: Act[]
  /** New listings. */
  added: { category: string }[]
}

/** Looks what changed on public pages, in whichever process. The first look only learns where things stand. */
export class Changes {
  readonly #acts = new NewActs()
  readonly #listed = new NewRows()
  #hasBegun = false

  async look(store: Store): Promise<Changed> {
    const isFirst = !this.#hasBegun
    if (isFirst) {
      const [last] = await lastIds(store, {})
      this.#acts.last = last?.act ?? ''
      this.#listed.last = last?.listed ?? 0
    }
    const [done, listed] = await Promise.all([
      actsAfter(store, { id: this.#acts.after }),
      listedAfter(store, { id: this.#listed.after }),
    ])
    this.#hasBegun = true
    const [acts, added] = [this.#acts.take(done), this.#listed.take(listed)]
    return isFirst ? { acts: [], added: [] } : { acts, added }
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
