import { DISPLAY_DAYS } from '@placard/contract'
import { sql } from 'kysely'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import type { Actor } from '../../platform/db/tables/decisions.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { changeLedger } from '../boards/ledger.ts'
import { showOnBoards } from '../boards/totals.ts'
import type { GroundId } from '../decisions/grounds.ts'
import {
  endedBefore,
  operatorNamed,
  operatorOf,
  recordDecision,
  WITHDRAWN,
  wasDecidedSince,
} from '../decisions/record.ts'
import { isPublished } from '../listings/listed-row.ts'
import { findListing, type Listing, lockListingAt, statusOf } from '../listings/listing.ts'
import { recheckSoon } from '../listings/seen-page.ts'
import { turnMailOff } from '../notifications/owner/mail-address.ts'
import { planMail } from '../notifications/owner/plan-mail.ts'
import { resumePicture } from '../pictures/preview-image.ts'
import type { HostRange } from '../review/reviewers/blocked-hosts.ts'

/** The result of an operator's command: the listing now, and whether anything changed. */
export interface Moderated {
  listing: Listing
  changed: boolean
}

/** The moderator, and the ground. `facts` are stored in addition to the explanation. */
export interface Moderator {
  actor: Exclude<Actor, 'reporter'>
  ground?: GroundId | undefined
  /** A code, such as a review reason. */
  reason?: string | undefined
  facts?: object
  /** Who hid the listing, if this only takes back that it was restored. */
  hiddenBy?: HiddenBy
  /** The decision that is reversed, or that hides a listing again because its restoring was undone. */
  about?: string
  /** The last action that the operator saw (`domain/decisions/record.ts`). If there is a later one, nothing changes. */
  seen?: string | null
}

type HiddenBy = 'operator' | 'owner' | 'automatic'

/** Returns who hides a listing, as its row says it. */
export const hiderOf = (actor: Actor): HiddenBy =>
  operatorOf(actor) === undefined ? (actor as 'owner' | 'automatic') : 'operator'

/** The name of operators who give none. */
export const NAMELESS = 'operator'
const AN_OPERATOR: Moderator = { actor: operatorNamed(NAMELESS) }

/** Returns a function that changes the listing with a slug; it returns undefined if there is no such listing. */
const moderating =
  (change: typeof hide) =>
  (
    store: Store,
    slug: string,
    explanation: string,
    now: number,
    by: Moderator = AN_OPERATOR,
  ): Promise<Moderated | undefined> =>
    changeLedger(store, async trx => {
      // An operator who leaves it up at the same time locks it, too, so that one of them sees the other's action.
      const before = await lockListingAt(trx, slug)
      if (!before) return undefined
      if (await wasDecidedSince(trx, before.id, by.seen)) return { listing: before, changed: false }
      const changed = await change(trx, before, explanation, now, by)
      return { listing: (await findListing(trx, slug)) ?? before, changed }
    })

/** Hides a listing. Its receipt says `unavailable` from then on, and replays do not undo it. */
export const hideListing = moderating(hide)

/**
 * Withdraws a listing for its owner. Only an operator, or an owner who proved the website, can restore it.
 *
 * @returns false if it was already hidden; then nothing changes
 */
export const withdrawListing = (store: Store, listing: Listing, now: number): Promise<boolean> =>
  changeLedger(store, async trx => {
    const changed = await hide(trx, listing, 'Withdrawn by its owner', now, OWNER)
    if (changed) await turnMailOff(trx, listing.id, now)
    return changed
  })

const OWNER: Moderator = { actor: 'owner', ground: 'owner', reason: WITHDRAWN }

/** Hides a listing. Call it within `changeLedger`. @returns false if it was already hidden; then nothing changes */
export async function hide(
  trx: Trx,
  { id, destinationKey }: Listing,
  explanation: string,
  now: number,
  {
    actor,
    ground = 'rules/content',
    reason = defaultReason(ground),
    facts,
    hiddenBy = hiderOf(actor),
    about,
  }: Moderator,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('listing')
    .set({ hiddenAt: now, hiddenBy, hiddenReason: explanation, updatedAt: now })
    .where('id', '=', id)
    .where('hiddenAt', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await showOnBoards(trx, destinationKey, false, now)
  const decisionId = await recordDecision(trx, {
    kind: 'hide',
    listingId: id,
    about,
    ground,
    reason,
    facts: { explanation, ...facts },
    actor,
    at: now,
  })
  await planMail(trx, id, { kind: 'decided', facts: { decisionId } }, now)
  return true
}

const defaultReason = (ground: GroundId) => (ground.startsWith('law/') ? 'illegal' : 'policy')

/**
 * Shows a hidden listing again with its old end, regardless of who hid it. An ended listing that is not hidden gets a
 * new term.
 */
export const restoreListing = moderating(restore)

/**
 * Restores a listing. Call it within `changeLedger`. @returns false if it was neither hidden nor ended; then nothing
 * changes
 */
export async function restore(
  trx: Trx,
  listing: Listing,
  explanation: string,
  now: number,
  { actor, ground = 'rules/operator', reason = 'restored', facts, about }: Moderator,
): Promise<boolean> {
  const hasEnded = statusOf(listing, now) === 'expired'
  if (listing.hiddenAt === null && !hasEnded) return false
  await trx
    .updateTable('listing')
    .set({ hiddenAt: null, hiddenBy: null, hiddenReason: null, updatedAt: now })
    // Discovery goes by the time of publication, so a new term needs a new one.
    .$if(hasEnded, query => query.set({ publishedAt: now, expiresAt: now + daysMs(DISPLAY_DAYS) }))
    .where('id', '=', listing.id)
    .execute()
  await showOnBoards(trx, listing.destinationKey, true, now)
  await recheckSoon(trx, listing.id, now)
  await resumePicture(trx, listing.id, now)
  const isStillEnded = !hasEnded && listing.expiresAt !== null && listing.expiresAt <= now
  const decisionId = await recordDecision(trx, {
    kind: 'restore',
    listingId: listing.id,
    ground,
    reason,
    facts: { explanation, ...facts },
    actor,
    at: now,
    about: about ?? (isStillEnded ? await endedBefore(trx, listing.slug) : undefined),
  })
  // After an appeal, the mail about its outcome says so.
  if (about === undefined) await planMail(trx, listing.id, { kind: 'decided', facts: { decisionId } }, now)
  return true
}

export interface WantedListings {
  /** Without `www.`. */
  host?: string | undefined
  /** If undefined, those in any status. */
  status?: ListingStatus | undefined
}

/** Returns listings, newest first. */
export async function listListings(store: Store, now: number, count: number, { host, status }: WantedListings = {}) {
  const listings = await store.db
    .selectFrom('listing')
    .selectAll()
    .$if(host !== undefined, query => query.where(isOfHost({ host: host ?? '', subdomains: false })))
    .$if(status !== undefined, query => query.where(hasStatus(status ?? 'published', now)))
    .orderBy('id', 'desc')
    .limit(count)
    .execute()
  return listings.map(listing => ({ ...listing, status: statusOf(listing, now) }))
}

/**
 * Returns the published listings of a host, newest first.
 *
 * @param range the host without `www.`, and whether to include those of its subdomains
 */
export async function listingsOfHost(db: Db, range: HostRange, now: number, count: number): Promise<Listing[]> {
  const { rows } = await sql<Listing>`
    select * from listing where ${isOfHost(range)} and ${isPublished(now)} order by id desc limit ${count}`.execute(db)
  return rows
}

function isOfHost({ host, subdomains }: HostRange) {
  const below = `%.${host}`
  const names = subdomains
    ? sql`hostname = ${host} or hostname like ${below}`
    : sql`hostname in (${host}, ${`www.${host}`})`
  // The index of the keys, which contain the host without www., is much smaller than the table.
  return sql<boolean>`(${names}) and id in (select id from listing where "destinationKey" like ${`%${host}%`})`
}

const hasStatus = (status: ListingStatus, now: number) =>
  ({
    published: sql<boolean>`${isPublished(now)}`,
    unavailable: sql<boolean>`listing."hiddenAt" is not null`,
    expired: sql<boolean>`listing."hiddenAt" is null and listing."expiresAt" <= ${now}`,
  })[status]
