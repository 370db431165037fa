import type { Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { statement } from '../../../platform/db/statement.ts'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import { daysMs, utcDay } from '../../../platform/lib/time.ts'
import type { Standings } from '../../boards/standings.ts'
import type { NoticeContent } from './notice-words.ts'
import { planLastDay, planMail } from './plan-mail.ts'

export type Notice = NoticeContent & {
  /** UUIDv7. */
  id: string
  at: number
  /** The listing that overtook, if it is known and public. Its title comes from the web: treat it as hostile. */
  by: { title: string; slug: string } | undefined
}

export type FeedNotice = Exclude<Notice, { kind: 'test' }>

/** Adds a notice in the caller's transaction. It is delivered to the listing's webhook, and mailed to its owner. */
export async function addNotice(trx: Trx, listingId: number, content: NoticeContent, now: number): Promise<void> {
  const { kind, facts } = content
  const webhook = await trx
    .selectFrom('webhook')
    .select('listingId')
    .where('listingId', '=', listingId)
    .where('offAt', 'is', null)
    .executeTakeFirst()
  const tryAt = webhook ? now : null
  const mailId = await mailOf(trx, listingId, content, now)
  await trx
    .insertInto('notice')
    .values({ id: uuidv7(), listingId, kind, facts: JSON.stringify(facts), at: now, tryAt, mailId })
    .execute()
}

/** Plans the mail with a notice. @returns its id; null if there is none */
async function mailOf(trx: Trx, listingId: number, content: NoticeContent, now: number): Promise<string | null> {
  // The decision that took a listing down is mailed with its reasons.
  if (content.kind === 'taken_down' || content.kind === 'test') return null
  const planned = content.kind === 'overtaken' ? { kind: content.kind, facts: {} } : content
  const mailId = await planMail(trx, listingId, planned, now)
  if (content.kind === 'ends_soon') await planLastDay(trx, listingId, content.facts.endsAt, now)
  return mailId ?? null
}

export type OvertakenNotice = Extract<Notice, { kind: 'overtaken' }>

/** Returns the overtaken places that one mail of a listing is about, oldest first. */
export async function overtakenIn(store: Store, listingId: number, mailId: string): Promise<OvertakenNotice[]> {
  const rows = await store.db
    .selectFrom('notice')
    .selectAll()
    .where('listingId', '=', listingId)
    .where('kind', '=', 'overtaken')
    .where('mailId', '=', mailId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return (await withNames(store, rows)) as OvertakenNotice[]
}

/**
 * Returns the notices that are still news: on a board that has not ended, where the listing has a place, below the best
 * one that it lost. A mail about them is sent up to six hours later.
 *
 * @param standings its places at `now`
 */
export function stillOvertaken(
  notices: readonly OvertakenNotice[],
  standings: Standings,
  now: number,
): OvertakenNotice[] {
  const open = notices.filter(({ at, facts }) => facts.board === 'all' || utcDay(at) === utcDay(now))
  return open.filter(({ facts: { board } }) => {
    const lost = open.filter(({ facts }) => facts.board === board).map(({ facts }) => facts.from)
    return (standings[board]?.rank ?? 0) > Math.min(...lost)
  })
}

/** Adds a notice, if the listing is followed. Otherwise, nothing is stored. */
export async function notifyFollower(trx: Trx, listingId: number, content: NoticeContent, now: number): Promise<void> {
  const followed = await trx
    .selectFrom('watch')
    .select('listingId')
    .where('listingId', '=', listingId)
    .where('checkAt', 'is not', null)
    .executeTakeFirst()
  if (followed) await addNotice(trx, listingId, content, now)
}

/** Returns the last notices of a listing, latest first, without tests. */
export async function readNotices(store: Store, listingId: number, limit: number): Promise<FeedNotice[]> {
  const rows = await noticesOf(store, { listingId, limit })
  return (await withNames(store, rows)) as FeedNotice[]
}

/** Returns notices with the names that are still public. */
export async function withNames(
  { db }: Store,
  rows: readonly Pick<Selectable<Database['notice']>, 'id' | 'at' | 'kind' | 'facts'>[],
): Promise<Notice[]> {
  const notices = rows.map(({ id, at, kind, facts }) => ({ id, at, kind, facts: JSON.parse(facts) }) as Notice)
  const names = await namesOf(
    db,
    notices.map(byOf).filter(id => id !== null),
  )
  return notices.map(notice => ({ ...notice, by: names.get(byOf(notice) ?? 0) }))
}

const byOf = (notice: NoticeContent): number | null => (notice.kind === 'overtaken' ? notice.facts.byListingId : null)

/** Returns titles of listings that are not hidden, by id. */
async function namesOf(db: Db, ids: readonly number[]) {
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
    .where('kind', '<>', 'test')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
)

const NOTICE_BEFORE_END_MS = daysMs(7)

/** Notifies the owner of every followed listing that ends within a week, once for each end date. */
export async function notifyOfEnds(store: Store, now: number): Promise<void> {
  for (const { listingId, expiresAt } of await endingSoon(store, { now, until: now + NOTICE_BEFORE_END_MS })) {
    if (expiresAt !== null) await notifyOfEnd(store, { id: listingId, expiresAt }, now)
  }
}

/** Notifies the owner of one listing, if it ends within a week and this end date was not announced yet. */
export async function notifyOfEnd(
  store: Store,
  { id, expiresAt }: { id: number; expiresAt: number | null },
  now: number,
): Promise<void> {
  if (expiresAt === null || expiresAt <= now || expiresAt > now + NOTICE_BEFORE_END_MS) return
  // Every request for a feed calls this, so it reads first: a write would wait for all other writes.
  const [watch] = await lastAnnounced(store, { listingId: id })
  if (!watch || watch.endTold === expiresAt) return
  await store.transact(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('watch')
      .set({ endTold: expiresAt })
      .where('listingId', '=', id)
      .where('endTold', 'is distinct from', expiresAt)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) {
      await addNotice(trx, id, { kind: 'ends_soon', facts: { endsAt: expiresAt } }, now)
    }
  })
}

const lastAnnounced = statement({ listingId: 'bigint' }, ({ listingId }, db) =>
  db.selectFrom('watch').select('endTold').where('listingId', '=', listingId),
)

const endingSoon = statement({ now: 'bigint', until: 'bigint' }, ({ now, until }, db) =>
  db
    .selectFrom('watch')
    .innerJoin('listing', 'listing.id', 'watch.listingId')
    .select(['watch.listingId', 'listing.expiresAt'])
    .where('watch.checkAt', 'is not', null)
    .where('listing.hiddenAt', 'is', null)
    .where('listing.expiresAt', '>', now)
    .where('listing.expiresAt', '<=', until)
    .whereRef('watch.endTold', 'is distinct from', 'listing.expiresAt'),
)
