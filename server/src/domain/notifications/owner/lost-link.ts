import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Trx } from '../../../platform/db/store.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { LinkIdentity } from '../../ownership/owner-token.ts'
import type { StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { takeTurn } from './mail-address.ts'
import { addressHashes, idIn, isMailToken } from './mail-secrets.ts'
import { GETS_MAIL } from './plan-mail.ts'

/** How long a mailed link opens the private page, from when it was asked for. */
export const OPEN_WITHIN_MS = 15 * MINUTE_MS

/** Per address: anyone can ask. The last one is reserved for a network that has not asked for the address that day. */
const LINKS_PER_DAY = 5

/**
 * Plans a mail with a link that opens the private page of a listing, if the address is the confirmed one of that
 * listing. The statements are the same if it is not, so neither the reply nor its time shows which addresses exist.
 */
export async function requestLinkByMail(
  { store, serviceKeys }: StoreAndKeys,
  { destination, address, network }: { destination: Destination; address: string; network: string },
  now: number,
): Promise<void> {
  const hashes = addressHashes(serviceKeys, address)
  await store.transact(async trx => {
    const isOwners = await trx
      .selectFrom('listing')
      .innerJoin('owner_mail', 'owner_mail.listingId', 'listing.id')
      .select('listing.id')
      .where('listing.destinationKey', '=', destination.key)
      .where(GETS_MAIL)
      .where('owner_mail.addressHash', 'in', hashes)
      .executeTakeFirst()
    // Requests that send no mail are counted apart, or a stranger could use up the owner’s unnoticed.
    const use = isOwners ? 'open' : `open ${destination.key}`
    const turn = (name: string | number) => addressHashes(serviceKeys, address, `${use} ${name}`)[0]
    const isFirst = await takeTurn(trx, turn(network), DAY_MS, now)
    if (!(await takeOneOf(trx, isFirst ? LINKS_PER_DAY : LINKS_PER_DAY - 1, turn, now))) return
    await sql`
      insert into outgoing_mail (id, "addressId", "listingId", kind, facts, at, "sendAt")
      select cast(${uuidv7()} as text), owner_mail.id, listing.id, 'open', '{}',
        cast(${now} as bigint), cast(${now} as bigint)
      from listing join owner_mail on owner_mail."listingId" = listing.id
      where listing."destinationKey" = ${destination.key} and ${GETS_MAIL}
        and owner_mail."addressHash" in (${sql.join(hashes)})`.execute(trx)
  })
}

/** Uses up one of the mails that an address can request each day. @returns false if none is left */
async function takeOneOf(trx: Trx, count: number, hashOf: (place: number) => string, now: number): Promise<boolean> {
  for (let place = 0; place < count; place++) {
    if (await takeTurn(trx, hashOf(place), DAY_MS, now)) return true
  }
  return false
}

/**
 * What the token of a mailed link is derived from. Renewing the private link changes it, which ends the mailed link.
 */
export const openedBy = (mailId: string, { claimId, linkVersion }: LinkIdentity) =>
  [mailId, claimId, linkVersion] as const

/** Returns the link whose private page a mailed link opens; undefined if it opens none, or not any more. */
export async function findMailedLink(
  { store, serviceKeys }: StoreAndKeys,
  token: string,
  now: number,
): Promise<LinkIdentity | undefined> {
  const id = idIn(token)
  if (id === undefined) return undefined
  const found = await store.db
    .selectFrom('outgoing_mail')
    .innerJoin('claim', 'claim.listingId', 'outgoing_mail.listingId')
    .select(['outgoing_mail.at', 'claim.id as claimId', 'claim.linkVersion'])
    .where('outgoing_mail.id', '=', id)
    .where('kind', '=', 'open')
    .where('at', '>', now - OPEN_WITHIN_MS)
    .executeTakeFirst()
  if (!found || !isMailToken(serviceKeys, token, 'open', openedBy(id, found), found.at)) return undefined
  const { claimId, linkVersion } = found
  return { claimId, linkVersion }
}

/** Uses up a mailed link. @returns what it opened; undefined if it opens nothing, or not any more */
export async function useMailedLink(deps: StoreAndKeys, token: string, now: number): Promise<LinkIdentity | undefined> {
  const link = await findMailedLink(deps, token, now)
  const id = idIn(token)
  if (!link || id === undefined) return undefined
  const { numDeletedRows } = await deps.store.transact(trx =>
    trx.deleteFrom('outgoing_mail').where('id', '=', id).executeTakeFirst(),
  )
  return numDeletedRows > 0n ? link : undefined
}
