import { randomBytes } from 'node:crypto'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import { findClaim } from './claims.ts'
import {
  hashOf,
  LINK_VERSIONS_MAX,
  type LinkIdentity,
  matchesHash,
  nextOwnerToken,
  reissuedOwnerToken,
} from './owner-token.ts'
import type { ServiceKey, StoreAndKeys } from './service-keys/service-keys.ts'
import { isContested } from './site-owner.ts'

/** `wrong_link`: not the current link. `too_often`: it has reached its limit of renewals. */
type Renewal = { link: LinkIdentity; token: Secret } | { refused: WhyNotRenewed }
export type WhyNotRenewed = 'wrong_link' | 'too_often'

/**
 * Replaces the private link. The old one, and visits opened with it, stop working, and a replay of the submission
 * returns the new one. Of two renewals at once, one is refused.
 *
 * Works in every status of the listing. Otherwise, a restored listing would still have a stolen link.
 *
 * The new link is returned only when the old one ends. Seeing it earlier would let a thief of the old link keep access.
 *
 * @param token the token the owner presents as current
 * @param along what else ends with the old link, in the same transaction
 */
export function renewLink(
  { store, serviceKeys }: StoreAndKeys,
  claimId: string,
  token: Secret,
  now: number,
  along: (trx: Trx, listingId: number) => Promise<void> = async () => {},
): Promise<Renewal> {
  return store.transact(async trx => {
    const claim = await findClaim(trx, claimId)
    if (!claim || !matchesHash(token, claim.ownerTokenHash)) return { refused: 'wrong_link' }
    if (!(await canBeReplaced(trx, claim))) return { refused: 'too_often' }
    const link = { claimId, linkVersion: claim.linkVersion + 1 }
    const next = nextOwnerToken(token, serviceKeys.newest.secret, link)
    const isReplaced = await replaceToken(trx, link, next, serviceKeys.newest, { nonce: null })
    if (!isReplaced) return { refused: 'wrong_link' }
    await along(trx, claim.listing.id)
    await recordDecision(trx, {
      kind: 'renew',
      listingId: claim.listing.id,
      ground: 'owner',
      reason: 'by_owner',
      facts: { explanation: 'Private link renewed by its owner' },
      actor: 'owner',
      at: now,
    })
    return { link, token: next }
  })
}

/**
 * Whether a link is below its limit of renewals. A replay derives no link that a proof gave, so the count starts again.
 */
async function canBeReplaced(trx: Trx, { claimId, linkVersion }: LinkIdentity): Promise<boolean> {
  const proven = await trx
    .selectFrom('renewed_link')
    .select(({ fn }) => fn.max('linkVersion').as('version'))
    .where('claimId', '=', claimId)
    .where('byProof', '=', 1)
    .executeTakeFirst()
  return linkVersion - (proven?.version ?? 0) < LINK_VERSIONS_MAX
}

/** `stale`: the link was renewed or reissued since it was read. `too_often`: it has reached its limit of renewals. */
export const NOT_REISSUED = {
  no_listing: 'there is no such listing',
  no_link: 'this listing comes from a purchase, so it never had a private link',
  stale: 'this link was replaced in the meantime',
  too_often: 'this link has reached its limit of renewals',
} as const
type WhyNotReissued = keyof typeof NOT_REISSUED

export type Reissue = { link: LinkIdentity; token: Secret } | { refused: WhyNotReissued }

/** Returns the version of a listing's private link; undefined if it has none. */
export const findLink = (db: Db, listingId: number): Promise<LinkIdentity | undefined> =>
  db.selectFrom('claim').select(['id as claimId', 'linkVersion']).where('listingId', '=', listingId).executeTakeFirst()

/**
 * Replaces the private link of an owner who has lost it and has proved to the operator who they are. The old link, and
 * visits opened with it, stop working. There is no token to derive the next one from, so it is derived from a stored
 * random value and the service key. A replay of the submission returns it, unless two people have proved the website:
 * then the operator gives it to the other one, because its present owner keeps the link that they have.
 *
 * Only the caller learns the link. It is in no log and in no decision.
 *
 * @param key that signs
 * @param linkVersion that the operator saw; without it, any
 * @param along what else ends with the old link, in the same transaction
 */
export function reissueLink(
  store: Store,
  slug: string,
  key: Pick<ServiceKey, 'secret' | 'checkValue'>,
  { name, explanation, linkVersion: seen }: { name: string; explanation: string; linkVersion?: number },
  now: number,
  along: (trx: Trx, listingId: number, isNewOwner: boolean) => Promise<unknown>,
): Promise<Reissue> {
  return store.transact(async trx => {
    const listing = await trx.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirst()
    if (!listing) return { refused: 'no_listing' }
    const present = await findLink(trx, listing.id)
    if (!present) return { refused: 'no_link' }
    const { claimId, linkVersion } = present
    if (seen !== undefined && seen !== linkVersion) return { refused: 'stale' }
    if (!(await canBeReplaced(trx, present))) return { refused: 'too_often' }
    const link = { claimId, linkVersion: linkVersion + 1 }
    const nonce = randomBytes(32).toString('hex')
    const token = reissuedOwnerToken(nonce, key.secret, link)
    const isNewOwner = await isContested(trx, listing.id)
    const isReplaced = await replaceToken(trx, link, token, key, { nonce, byProof: Number(isNewOwner) })
    if (!isReplaced) return { refused: 'stale' }
    await along(trx, listing.id, isNewOwner)
    const decided = { listingId: listing.id, ground: 'rules/operator', actor: operatorNamed(name), at: now } as const
    // First, so that what follows concerns only the new owner.
    if (isNewOwner) await recordDecision(trx, { ...decided, kind: 'prove', reason: 'claimed', facts: GIVEN })
    await recordDecision(trx, { ...decided, kind: 'renew', reason: 'reissued', facts: { explanation } })
    return { link, token }
  })
}

const GIVEN = { explanation: 'The operator gave the listing to another person who proved the website' }

/**
 * Stores the next version of a link.
 *
 * @param made.nonce of which the token was derived; null if it was derived from the token before
 * @returns false if the version before is no longer the present one; then nothing has changed
 */
async function replaceToken(
  trx: Trx,
  next: LinkIdentity,
  token: Secret,
  { checkValue }: Pick<ServiceKey, 'checkValue'>,
  made: { nonce: string | null; byProof?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('claim')
    .set({ linkVersion: next.linkVersion, ownerTokenHash: hashOf(token) })
    .where('id', '=', next.claimId)
    .where('linkVersion', '=', next.linkVersion - 1)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await trx
    .insertInto('renewed_link')
    .values({ ...next, keyCheckValue: checkValue, ...made })
    .execute()
  return true
}
