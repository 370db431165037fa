import type { Board } from '@placard/contract'
import { v7 as uuidv7 } from 'uuid'
import { statement } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'

/** Something to tell, as it is stored: no names, since those can change and be hidden. */
export type Told =
  | { kind: 'overtaken'; facts: { board: Board; from: number; to: number; byListingId: number | null } }
  | { kind: 'ends_soon'; facts: { endsAt: number } }
  | { kind: 'page_gone'; facts: { failingSince: number; httpStatus: number | null } }

export type Notice = Told & {
  /** UUIDv7. */
  id: string
  /** Unix milliseconds. */
  at: number
  /** Who overtook, if that is known and public. Its title comes from the web: treat it as hostile. */
  by: { title: string; slug: string } | undefined
}

/** Adds a notice, in the transaction that settles that nobody else tells the same. */
export async function addNotice(trx: Trx, listingId: number, told: Told, now: number): Promise<void> {
  const { kind, facts } = told
  await trx
    .insertInto('notice')
    .values({ id: uuidv7(), listingId, kind, facts: JSON.stringify(facts), at: now })
    .execute()
}

/** The last notices of a listing, the latest first. */
export async function readNotices(store: Store, listingId: number, limit: number): Promise<Notice[]> {
  const rows = await noticesOf(store, { listingId, limit })
  const notices = rows.map(
    ({ id, at, kind, facts }) => ({ id, at, kind, facts: JSON.parse(facts) }) as Notice,
  )
  const names = await namesOf(
    store,
    notices.map(byOf).filter(id => id !== null),
  )
  return notices.map(notice => ({ ...notice, by: names.get(byOf(notice) ?? 0) }))
}

const byOf = (notice: Told): number | null => (notice.kind === 'overtaken' ? notice.facts.byListingId : null)

/** Titles of listings that are not hidden, by id. */
async function namesOf({ db }: Store, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, { title: string; slug: string }>()
  const rows = await db
    .selectFrom('listing')
    .select(['id', 'title', 'slug'])
    .where('id', 'in', ids)
    .where('hiddenAt', 'is', null)
    .execute()
  return new Map(rows.map(({ id, ...name }) => [id, name]))
}

const noticesOf = statement({ listingId: 'bigint', limit: 'bigint' }, ({ listingId, limit }, db) =>
  db
    .selectFrom('notice')
    .selectAll()
    .where('listingId', '=', listingId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
)
