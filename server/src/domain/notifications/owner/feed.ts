import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { Secret } from '../../../platform/lib/secret.ts'
import { daysMs } from '../../../platform/lib/time.ts'
import type { Listing } from '../../listings/listing.ts'
import type { Claim } from '../../ownership/claims.ts'
import { hashOf, ownerTokenText, parseOwnerToken } from '../../ownership/owner-token.ts'
import type { ServiceKeys, StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { comparePlaces } from './overtaken.ts'

export type Watch = Selectable<Database['watch']>

/**
 * Gives a listing's feed a new address. The previous one stops working. The token in it is derived, and only its hash
 * is stored. Renewing the private link ends the address, too.
 */
export async function renewFeed(
  { store, serviceKeys }: StoreAndKeys,
  { claimId, linkVersion, listing }: Claim,
  now: number,
): Promise<void> {
  const { newest } = serviceKeys
  const feedNonce = randomBytes(16).toString('hex')
  const feed = {
    feedHash: hashOf(feedToken(newest.secret, claimId, feedNonce)),
    feedNonce,
    feedKeyCheckValue: newest.checkValue,
    feedLinkVersion: linkVersion,
  }
  await store.transact(async trx => {
    await follow(trx, listing.id, now)
    await trx.updateTable('watch').set(feed).where('listingId', '=', listing.id).execute()
  })
  // From now on, the owner is notified of others that move ahead.
  await comparePlaces(store, { ...listing, listingId: listing.id }, now)
}

/** Ends a listing's feed: its address stops working. */
export const endFeed = (store: Store, listingId: number): Promise<void> =>
  store.transact(trx => clearFeed(trx, listingId))

/** Does the same in the caller's transaction. */
export async function clearFeed(trx: Trx, listingId: number): Promise<void> {
  await trx.updateTable('watch').set(NO_FEED).where('listingId', '=', listingId).execute()
  await unfollowIfUnread(trx, listingId)
}

/** Returns how a listing is followed, if it ever was. */
export const findWatch = (db: Db, listingId: number): Promise<Watch | undefined> =>
  db.selectFrom('watch').selectAll().where('listingId', '=', listingId).executeTakeFirst()

/**
 * Returns the token of a listing's current feed, for its owner only; undefined if there is none, or it cannot be
 * derived.
 */
export function feedTokenOf(
  serviceKeys: ServiceKeys,
  { claimId, linkVersion }: Claim,
  watch: Watch | undefined,
): string | undefined {
  if (!watch?.feedNonce || watch.feedLinkVersion !== linkVersion) return undefined
  const key = serviceKeys.withCheckValue(watch.feedKeyCheckValue ?? '')
  return key && ownerTokenText(feedToken(key, claimId, watch.feedNonce))
}

/** Returns the listing whose feed a token opens, in any status; undefined for every other token. */
export async function openFeed(db: Db, tokenText: string): Promise<Listing | undefined> {
  const token = parseOwnerToken(tokenText)
  if (!token) return undefined
  return db
    .selectFrom('watch')
    .innerJoin('claim', 'claim.listingId', 'watch.listingId')
    .innerJoin('listing', 'listing.id', 'watch.listingId')
    .selectAll('listing')
    .where('watch.feedHash', '=', hashOf(token))
    .whereRef('claim.linkVersion', '=', 'watch.feedLinkVersion')
    .executeTakeFirst()
}

const feedToken = (serviceKey: Secret, claimId: string, nonce: string): Secret =>
  serviceKey.derive(`placard notice feed ${claimId} ${nonce}`)

/** Starts following a listing, unless it is already followed. Earlier places no longer count. */
export async function follow(trx: Trx, listingId: number, now: number): Promise<void> {
  const checkAt = now + daysMs(1)
  await trx
    .insertInto('watch')
    .values({ listingId, ...NO_FEED, checkAt: null, failingSince: null, endTold: null })
    .onConflict(conflict => conflict.column('listingId').doNothing())
    .execute()
  const { numUpdatedRows } = await trx
    .updateTable('watch')
    .set({ checkAt, failingSince: null, goneTold: 0 })
    .where('listingId', '=', listingId)
    .where('checkAt', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) {
    await trx.deleteFrom('watched_place').where('listingId', '=', listingId).execute()
  }
}

const NO_FEED = { feedHash: null, feedNonce: null, feedKeyCheckValue: null, feedLinkVersion: null }

/** Stops following a listing that has neither feed, webhook nor mail. */
export async function unfollowIfUnread(trx: Trx, listingId: number): Promise<void> {
  await trx
    .updateTable('watch')
    .set({ checkAt: null })
    .where('listingId', '=', listingId)
    .where('feedHash', 'is', null)
    .where(
      sql<boolean>`not exists (select 1 from webhook where "listingId" = ${listingId}) and not exists (
        select 1 from owner_mail where "listingId" = ${listingId} and "confirmedAt" is not null)`,
    )
    .execute()
}
