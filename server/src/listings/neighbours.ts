import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { ofCategory } from './discovery.ts'
import { itsPicture, oldestYoung, type Shown, shownColumns } from './shown.ts'

/** The published listings around one in its category, the nearest first. */
export interface Neighbours {
  newer: Shown[]
  older: Shown[]
}

interface Placed {
  id: number
  category: string
  publishedAt: number
}

/**
 * Up to `limit` listings on either side of a listing in its category, by when they were published. The listing itself
 * need not be published. Constant work.
 */
export async function readNeighbours(
  store: Store,
  listing: Placed,
  { now, limit }: { now: number; limit: number },
): Promise<Neighbours> {
  const { category } = listing
  const [newer, older] = await Promise.all([
    newerThan(store, listing, { now, limit }),
    ofCategory(store, { category, now, after: listing, limit }),
  ])
  return { newer, older: older.listings }
}

/** Like a page of discovery backwards: the old ones without an end, then the young ones. */
async function newerThan(
  store: Store,
  { id, category, publishedAt }: Placed,
  { now, limit }: { now: number; limit: number },
): Promise<Shown[]> {
  const since = oldestYoung(now)
  const isOld = publishedAt <= since
  const old = isOld ? await oldAfter(store, { category, publishedAt, id, since, limit }) : []
  const missing = limit - old.length
  if (missing === 0) return old
  // Of two lower bounds, SQLite may begin at the lower one, and read all that lies between.
  const after = isOld ? { publishedAt: since, id: Number.MAX_SAFE_INTEGER } : { publishedAt, id }
  return [...old, ...(await youngAfter(store, { category, ...after, now, limit: missing }))]
}

const AFTER = { category: 'text', publishedAt: 'bigint', id: 'bigint', limit: 'bigint' } as const

const select = sql`select ${shownColumns} from listing ${itsPicture} where listing."hiddenAt" is null`
const oldestFirst = sql`order by listing."publishedAt", listing.id`

const oldAfter = statement(
  { ...AFTER, since: 'bigint' },
  ({ category, publishedAt, id, since, limit }) => sql<Shown>`${select}
    and listing.category = ${category} and listing."expiresAt" is null and listing."publishedAt" <= ${since}
    and (listing."publishedAt", listing.id) > (${publishedAt}, ${id}) ${oldestFirst} limit ${limit}`,
)

const youngAfter = statement(
  { ...AFTER, now: 'bigint' },
  ({ category, publishedAt, id, now, limit }) => sql<Shown>`${select}
    and listing.category = ${category}
    and (listing."publishedAt", listing.id) > (${publishedAt}, ${id})
    and (listing."expiresAt" is null or listing."expiresAt" > ${now}) ${oldestFirst} limit ${limit}`,
)
