import { randomBytes } from 'node:crypto'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import type { ServiceKey } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'
import type { Db, Store, Trx } from '../storage/store.ts'
import { hashOf, LINK_VERSIONS_MAX, type LinkIdentity, reissuedOwnerToken } from './owner-token.ts'

/** `stale`: the link was renewed or reissued since it was looked at. `too_often`: it has reached its limit of renewals. */
export const NOT_REISSUED = {
  no_listing: 'there is no such listing',
  no_link: 'this listing was paid for without a submission, and never had a private link',
  stale: 'somebody has replaced this link meanwhile',
  too_often: 'this link was renewed as often as one can be',
} as const
type WhyNotReissued = keyof typeof NOT_REISSUED

export type Reissue = { link: LinkIdentity; token: Secret } | { refused: WhyNotReissued }

/** The version of a listing's private link; undefined if it has none. */
export const findLink = (db: Db, listingId: number): Promise<LinkIdentity | undefined> =>
  db
    .selectFrom('claim')
    .select(['id as claimId', 'linkVersion'])
    .where('listingId', '=', listingId)
    .executeTakeFirst()

/**
 * Replaces the private link of an owner who has lost it and has shown the operator who they are. The old link, and visits
 * opened with it, stop working. Nobody brings a token to derive the next one from: so it is derived from a random value that
 * is stored, and the service key, which is not. A replay of the submission returns it.
 *
 * The caller alone learns the link. Neither log nor decision knows it.
 *
 * @param key that signs
 * @param linkVersion that the operator saw; left out, whichever it is
 * @param along what else ends with the old link, in the same transaction
 */
export function reissueLink(
  store: Store,
  slug: string,
  key: Pick<ServiceKey, 'secret' | 'checkValue'>,
  { name, explanation, linkVersion: seen }: { name: string; explanation: string; linkVersion?: number },
  now: number,
  along: (trx: Trx, listingId: number) => Promise<unknown>,
): Promise<Reissue> {
  return store.transact(async trx => {
    const listing = await trx.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirst()
    if (!listing) return { refused: 'no_listing' }
    const present = await findLink(trx, listing.id)
    if (!present) return { refused: 'no_link' }
    const { claimId, linkVersion } = present
    if (seen !== undefined && seen !== linkVersion) return { refused: 'stale' }
    if (linkVersion >= LINK_VERSIONS_MAX) return { refused: 'too_often' }
    const link = { claimId, linkVersion: linkVersion + 1 }
    const nonce = randomBytes(32).toString('hex')
    const token = reissuedOwnerToken(nonce, key.secret, link)
    const { numUpdatedRows } = await trx
      .updateTable('claim')
      .set({ linkVersion: link.linkVersion, ownerTokenHash: hashOf(token) })
      .where('id', '=', claimId)
      .where('linkVersion', '=', linkVersion)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return { refused: 'stale' }
    await trx
      .insertInto('renewed_link')
      .values({ ...link, keyCheckValue: key.checkValue, nonce })
      .execute()
    await along(trx, listing.id)
    await recordDecision(trx, {
      ...{ kind: 'renew', listingId: listing.id, ground: 'rules/operator', reason: 'reissued' },
      ...{ facts: { explanation }, actor: operatorNamed(name), at: now },
    })
    return { link, token }
  })
}
