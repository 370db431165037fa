import { randomBytes } from 'node:crypto'
import type { Selectable, Updateable } from 'kysely'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { type Destination, parseAddress } from '../../destinations/destination.ts'
import { registrableDomain } from '../../destinations/hostname.ts'
import { type Claim, lockLink } from '../../ownership/claims.ts'
import type { ServiceKey, ServiceKeys, StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { follow, unfollowIfUnread } from './feed.ts'
import { addNotice } from './notice.ts'
import { comparePlaces } from './overtaken.ts'

export type Webhook = Selectable<Database['webhook']>

/** Longer than any delivery takes. */
export const LEASE_MS = MINUTE_MS

/** The beginning of every secret (Standard Webhooks). */
const SECRET_PREFIX = 'whsec_'

export const findWebhook = (db: Db, listingId: number): Promise<Webhook | undefined> =>
  db.selectFrom('webhook').selectAll().where('listingId', '=', listingId).executeTakeFirst()

/**
 * Sends a listing's events to an address from now on, and at once those that wait to be retried. If only the address
 * changes, the secret stays, unless it can no longer be derived.
 *
 * @throws LinkReplaced
 */
export async function saveWebhook(
  { store, serviceKeys }: StoreAndKeys,
  { listing, ...link }: Claim,
  { url, hostname }: Destination,
  now: number,
): Promise<void> {
  const moved = { url, host: registrableDomain(hostname), ...FRESH }
  await store.transact(async trx => {
    await lockLink(trx, link)
    await follow(trx, listing.id, now)
    const saved = await trx
      .insertInto('webhook')
      .values({ listingId: listing.id, ...moved, ...newSecret(serviceKeys) })
      .onConflict(conflict => conflict.column('listingId').doUpdateSet(moved))
      .returning(['listingId', 'nonce', 'keyCheckValue'])
      .executeTakeFirstOrThrow()
    if (webhookSecretOf(serviceKeys, saved) === undefined) await change(trx, listing.id, newSecret(serviceKeys))
    // Only events that wait for their next attempt: the lease of those being sent ends sooner.
    const waiting = trx.updateTable('notice').set({ tryAt: now }).where('listingId', '=', listing.id)
    await waiting.where('tryAt', '>', now + LEASE_MS).execute()
  })
  // From now on, the owner is notified of others that move ahead.
  await comparePlaces(store, { ...listing, listingId: listing.id }, now)
}

/** Replaces the secret at once: later deliveries are signed with the new one. @returns whether there is a webhook */
export const renewSecret = ({ store, serviceKeys }: StoreAndKeys, listingId: number): Promise<boolean> =>
  store.transact(trx => change(trx, listingId, newSecret(serviceKeys)))

/** Replaces the secret with the private link, whose page showed the secret. @returns whether there is a webhook */
export const renewSecretWith = (trx: Trx, keys: Signing, listingId: number): Promise<boolean> =>
  change(trx, listingId, newSecret(keys))

/**
 * Turns a webhook on again, with a new secret if the old one can no longer be derived. Notices from the time when it
 * was off are not delivered.
 *
 * @returns whether there is a webhook
 */
export async function turnOn({ store, serviceKeys }: StoreAndKeys, listingId: number): Promise<boolean> {
  const webhook = await findWebhook(store.db, listingId)
  const isSecretLost = webhook && webhookSecretOf(serviceKeys, webhook) === undefined
  const on = { ...FRESH, ...(isSecretLost && newSecret(serviceKeys)) }
  return store.transact(trx => change(trx, listingId, on))
}

/** Deletes a webhook and its pending deliveries. */
export const removeWebhook = (store: Store, listingId: number): Promise<void> =>
  store.transact(async trx => {
    await deleteWebhook(trx, listingId)
    await unfollowIfUnread(trx, listingId)
  })

/** Deletes a webhook and its pending deliveries in the caller's transaction. The listing is still followed. */
export async function deleteWebhook(trx: Trx, listingId: number): Promise<void> {
  await trx.deleteFrom('webhook').where('listingId', '=', listingId).execute()
  await deliverNoMore(trx, listingId)
}

/** Delivers a test event. It is sent once. */
export const sendTest = (store: Store, listingId: number, now: number): Promise<void> =>
  store.transact(trx => addNotice(trx, listingId, { kind: 'test', facts: {} }, now))

/** Returns the secret that signs deliveries, as Standard Webhooks writes it; undefined if its service key is lost. */
export function webhookSecretOf(
  serviceKeys: ServiceKeys,
  { listingId, nonce, keyCheckValue }: Pick<Webhook, 'listingId' | 'nonce' | 'keyCheckValue'>,
): string | undefined {
  return signingSecret(serviceKeys, keyCheckValue, `placard webhook secret ${listingId} ${nonce}`)
}

/** Returns the secret for a purpose, as Standard Webhooks writes it; undefined if its service key is lost. */
export function signingSecret(serviceKeys: ServiceKeys, keyCheckValue: string, purpose: string): string | undefined {
  const secret = serviceKeys.withCheckValue(keyCheckValue)?.derive(purpose)
  return secret && SECRET_PREFIX + secret.reveal().toString('base64')
}

/** The state before any delivery. */
export const FRESH = {
  failingSince: null,
  offAt: null,
  offBecause: null,
  lastTriedAt: null,
  lastStatus: null,
}

/** Keys, of which only the newest is used, by its check value. */
interface Signing {
  newest: Pick<ServiceKey, 'checkValue'>
}

/** Returns what a new secret is derived from. */
export const newSecret = ({ newest }: Signing) => ({
  nonce: randomBytes(16).toString('hex'),
  keyCheckValue: newest.checkValue,
})

/** @returns whether there is a webhook to change */
async function change(trx: Trx, listingId: number, to: Updateable<Database['webhook']>): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('webhook')
    .set(to)
    .where('listingId', '=', listingId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the pending deliveries of a listing. */
export const deliverNoMore = (trx: Trx, listingId: number) =>
  trx
    .updateTable('notice')
    .set({ tryAt: null })
    .where('listingId', '=', listingId)
    .where('tryAt', 'is not', null)
    .execute()

/**
 * Returns an https address for a webhook, checked like a destination but with its query, which many receivers need. The
 * addresses of its host are checked at each delivery.
 *
 * @param ownHost this service's host, to which nothing is posted
 * @param maxLength of what was typed: percent-encoding can make the stored address nine times as long
 * @returns undefined if it is not valid
 */
export function parseWebhookAddress(
  raw: unknown,
  ownHost: string,
  maxLength = ADDRESS_MAX_LENGTH,
): Destination | undefined {
  if (typeof raw !== 'string' || raw.length > maxLength) return undefined
  try {
    const address = parseAddress(raw.trim(), ownHost, Number.POSITIVE_INFINITY)
    return address.url.startsWith('https:') ? address : undefined
  } catch {
    return undefined
  }
}

export const ADDRESS_MAX_LENGTH = 1000
