import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { MailChoice } from '../../../platform/db/tables/mail.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { type Claim, lockLink } from '../../ownership/claims.ts'
import type { ServiceKeys, StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { follow, unfollowIfUnread } from './feed.ts'
import { addressHashes, decryptAddress, encryptAddress, idIn, isMailToken } from './mail-secrets.ts'
import { comparePlaces } from './overtaken.ts'
import { dropUnchosen, planLastDay, putMail, readChoices, TURNED_OFF } from './plan-mail.ts'

type OwnerMail = Selectable<Database['owner_mail']>

/** How long an address can be confirmed. It gets one mail in that time, however many listings name it. */
export const CONFIRM_WITHIN_MS = DAY_MS

/** The longest address that SMTP can carry. */
export const MAIL_ADDRESS_MAX_LENGTH = 254
const LOCAL_MAX_LENGTH = 64

/** The address of the HTML standard, which has no quotes, comments, display names or line breaks. */
const ATEXT = /^[\w.!#$%&'*+/=?^`{|}~-]+$/
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** Returns a typed address, without white space around it; undefined if it is not exactly one plain address. */
export function parseMailAddress(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > 2 * MAIL_ADDRESS_MAX_LENGTH) return undefined
  const address = typed.trim()
  const [local = '', host = '', ...more] = address.split('@')
  const labels = host.split('.')
  const isAddress =
    more.length === 0 &&
    address.length <= MAIL_ADDRESS_MAX_LENGTH &&
    local.length <= LOCAL_MAX_LENGTH &&
    ATEXT.test(local) &&
    !local.split('.').includes('') &&
    labels.length > 1 &&
    labels.every(label => LABEL.test(label))
  return isAddress ? `${local}@${host.toLowerCase()}` : undefined
}

/** The addresses of a listing. `waiting` is not confirmed yet, and replaces `confirmed` once it is. */
export interface MailAddresses {
  confirmed: OwnerMail | undefined
  waiting: OwnerMail | undefined
}

/** Returns the addresses of a listing, without those that were not confirmed in time. */
export async function findAddresses(db: Db, listingId: number, now: number): Promise<MailAddresses> {
  const rows = await db.selectFrom('owner_mail').selectAll().where('listingId', '=', listingId).execute()
  return {
    confirmed: rows.find(({ confirmedAt, choices }) => confirmedAt !== null && choices !== TURNED_OFF),
    waiting: rows.find(({ confirmedAt, at }) => confirmedAt === null && at > now - CONFIRM_WITHIN_MS),
  }
}

/** Returns an address for its owner's page, with most of its first part hidden: someone else may see that page. */
export function hintOf(serviceKeys: ServiceKeys, row: OwnerMail | undefined): string | undefined {
  const [local = '', host] = (row && decryptAddress(serviceKeys, row))?.split('@') ?? []
  return host && `${local.slice(0, 1)}…@${host}`
}

/** `too_soon`: the address already got a mail to confirm it today. */
export type MailSaved = 'asked' | 'waiting' | 'saved' | 'too_soon' | 'no_address'

/**
 * Saves what an owner wants mail about. A new address gets a mail to confirm it. Until then, the confirmed one stays.
 *
 * @param address undefined to change only the choices
 * @throws LinkReplaced
 */
export function saveMail(
  { store, serviceKeys }: StoreAndKeys,
  { listing, ...link }: Claim,
  { address, choices }: { address: string | undefined; choices: readonly MailChoice[] },
  now: number,
): Promise<MailSaved> {
  return store.transact(async trx => {
    await lockLink(trx, link)
    const { confirmed, waiting } = await findAddresses(trx, listing.id, now)
    const hashes = address === undefined ? ([] as string[]) : addressHashes(serviceKeys, address)
    const isThis = (row: OwnerMail | undefined) =>
      row !== undefined && (address === undefined || hashes.includes(row.addressHash))
    const change = (id: string) =>
      trx.updateTable('owner_mail').set({ choices: choices.join() }).where('id', '=', id).execute()
    if (confirmed && isThis(confirmed)) {
      await change(confirmed.id)
      await dropUnchosen(trx, confirmed.id, choices)
      // Entered again, it takes back another one. The owner of that one could otherwise confirm it.
      if (address !== undefined) await forgetWaiting(trx, listing.id)
      else if (waiting) await change(waiting.id)
      if (!readChoices(confirmed.choices).includes('ends')) await planAnnouncedEnd(trx, listing.id, now)
      return 'saved'
    }
    if (waiting && isThis(waiting)) {
      await change(waiting.id)
      return 'waiting'
    }
    if (address === undefined) return 'no_address'
    if (!(await takeTurn(trx, addressHashes(serviceKeys, address, 'confirm')[0], CONFIRM_WITHIN_MS, now))) {
      return 'too_soon'
    }
    await forgetWaiting(trx, listing.id)
    const id = randomUUID()
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('owner_mail')
      .values({
        id,
        listingId: listing.id,
        ...encryptAddress(serviceKeys, id, address),
        addressHash: hashes[0] as string,
        choices: choices.join(),
        at: now,
        confirmedAt: null,
        overtakenAt: null,
        summaryDay: null,
        summaryRank: null,
      })
      // Another request for this listing may have been faster.
      .onConflict(conflict => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) return 'too_soon'
    // Once the new address is confirmed, this one is deleted, and nothing could be sent there.
    if (confirmed && (await takeTurn(trx, addressHashes(serviceKeys, confirmed.id, 'replaced')[0], DAY_MS, now))) {
      await putMail(trx, { addressId: confirmed.id, listingId: listing.id }, { kind: 'replaced', facts: {} }, now)
    }
    await putMail(trx, { addressId: id, listingId: listing.id }, { kind: 'confirm', facts: {} }, now)
    return 'asked'
  })
}

/** Returns the address that a token confirms, or has confirmed; undefined if the token is wrong, or too old. */
export async function addressToConfirm({ store, serviceKeys }: StoreAndKeys, token: string, now: number) {
  const id = idIn(token)
  const row = id && (await store.db.selectFrom('owner_mail').selectAll().where('id', '=', id).executeTakeFirst())
  if (!row || !isMailToken(serviceKeys, token, 'confirm', [row.id], row.at)) return undefined
  return row.confirmedAt !== null || row.at > now - CONFIRM_WITHIN_MS ? row : undefined
}

/**
 * Confirms the address whose mail has a token. It replaces the address that was confirmed before, and the listing is
 * followed from now on.
 *
 * @returns whether the address is confirmed
 */
export async function confirmMail(deps: StoreAndKeys, token: string, now: number): Promise<boolean> {
  const row = await addressToConfirm(deps, token, now)
  if (row?.confirmedAt !== null) return row !== undefined
  const { store } = deps
  const { listingId } = row
  const isConfirmed = await store.transact(async trx => {
    const waiting = trx.selectFrom('owner_mail').select('id').where('id', '=', row.id).where('confirmedAt', 'is', null)
    // If it was forgotten in the meantime, the confirmed address stays.
    if (!(await waiting.$if(trx.engine === 'postgres', query => query.forUpdate()).executeTakeFirst())) return false
    await trx.deleteFrom('owner_mail').where('listingId', '=', listingId).where('id', '<>', row.id).execute()
    await trx.updateTable('owner_mail').set({ confirmedAt: now }).where('id', '=', row.id).execute()
    await follow(trx, listingId, now)
    await planAnnouncedEnd(trx, listingId, now)
    return true
  })
  const listing = await store.db
    .selectFrom('listing')
    .select(['id as listingId', 'destinationKey'])
    .where('id', '=', listingId)
    .executeTakeFirstOrThrow()
  // From now on, the owner is notified of others that move ahead.
  if (isConfirmed) await comparePlaces(store, listing, now)
  return isConfirmed
}

/** The end of the listing may have been announced before this address could get mail about it. */
async function planAnnouncedEnd(trx: Trx, listingId: number, now: number): Promise<void> {
  const announced = await trx
    .selectFrom('watch')
    .innerJoin('listing', 'listing.id', 'watch.listingId')
    .select('watch.endTold')
    .where('watch.listingId', '=', listingId)
    .whereRef('watch.endTold', '=', 'listing.expiresAt')
    .executeTakeFirst()
  if (announced?.endTold) await planLastDay(trx, listingId, announced.endTold, now)
}

/** Returns the id of the address whose mails have a token that ends them; undefined for other tokens. */
export function addressToEnd({ serviceKeys }: Pick<StoreAndKeys, 'serviceKeys'>, token: string): string | undefined {
  const id = idIn(token)
  // A mail may be read years later, so keys that were replaced count, too.
  return id !== undefined && isMailToken(serviceKeys, token, 'off', [id], 0) ? id : undefined
}

/** Ends mail from the address in whose mails a token is. Repeating it does nothing. @returns false for other tokens */
export async function endMailByToken(deps: StoreAndKeys, token: string): Promise<boolean> {
  const id = addressToEnd(deps, token)
  if (id !== undefined) await deps.store.transact(trx => endAddress(trx, id))
  return id !== undefined
}

/** Deletes an address, and the mails planned for it. */
export async function endAddress(trx: Trx, id: string): Promise<void> {
  const ended = await trx.deleteFrom('owner_mail').where('id', '=', id).returning('listingId').executeTakeFirst()
  if (ended) await unfollowIfUnread(trx, ended.listingId)
}

/**
 * Turns mail off from the private page, or with a listing that is withdrawn there. The confirmed address first gets a
 * mail about it, because someone else may have the private link. It is deleted when that mail is sent, or after a day.
 */
export async function turnMailOff(trx: Trx, listingId: number, now: number): Promise<void> {
  await forgetWaiting(trx, listingId)
  const { confirmed } = await findAddresses(trx, listingId, now)
  if (!confirmed) return
  await trx.updateTable('owner_mail').set({ choices: TURNED_OFF }).where('id', '=', confirmed.id).execute()
  await dropUnchosen(trx, confirmed.id, [])
  await putMail(trx, { addressId: confirmed.id, listingId }, { kind: 'off', facts: {} }, now)
}

/** Ends mail for a listing: its addresses, and what is planned for them. Call it whenever it gets another owner. */
export async function endMail(trx: Trx, listingId: number): Promise<void> {
  await trx.deleteFrom('owner_mail').where('listingId', '=', listingId).execute()
  await unfollowIfUnread(trx, listingId)
}

/**
 * Forgets the address that a listing has not confirmed. Call it also whenever the private link is renewed: someone who
 * saw the old link may have entered it. The confirmed address stays, so the page that shows the new link names it.
 */
export async function forgetWaiting(trx: Trx, listingId: number): Promise<void> {
  await trx.deleteFrom('owner_mail').where('listingId', '=', listingId).where('confirmedAt', 'is', null).execute()
}

/**
 * Takes the only turn in a time for a mail that its recipient has not asked for. One that ends too late is from before
 * the clock was set back, and has ended, too.
 *
 * @returns false if it is taken
 */
export async function takeTurn(trx: Trx, hash: string, forMs: number, now: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into mail_turn (hash, "endsAt") values (${hash}, ${now + forMs})
    on conflict (hash) do update set "endsAt" = excluded."endsAt"
    where mail_turn."endsAt" <= ${now} or mail_turn."endsAt" > ${now + 2 * forMs}`.execute(trx)
  return numAffectedRows === 1n
}
