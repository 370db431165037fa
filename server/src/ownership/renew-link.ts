import { recordDecision } from '../decisions/record.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'
import type { Store, Trx } from '../storage/store.ts'
import { findClaim } from './claims.ts'
import { hashOf, LINK_VERSIONS_MAX, type LinkIdentity, matchesHash, nextOwnerToken } from './owner-token.ts'

/** `wrong_link`: not the current link. `too_often`: it has reached its limit of renewals. */
type Renewal = { link: LinkIdentity; token: Secret } | { refused: WhyNotRenewed }
export type WhyNotRenewed = 'wrong_link' | 'too_often'

/**
 * Replaces the private link. The old one, and visits opened with it, stop working, and a replay of the submission
 * returns the new one. Of two renewals at once, one is refused.
 *
 * Works in every status of the listing; otherwise a restored one would come back with a stolen link.
 *
 * The new link is only given out as the old one ends. Seeing it earlier would let a thief of the old link keep access.
 *
 * @param token the token the owner presents as current
 * @param along what else ends with the old link, in the same transaction
 */
export function renewLink(
  { store, serviceKeys }: { store: Store; serviceKeys: ServiceKeys },
  claimId: string,
  token: Secret,
  now: number,
  along: (trx: Trx, listingId: number) => Promise<void> = async () => {},
): Promise<Renewal> {
  return store.transact(async trx => {
    const claim = await findClaim(trx, claimId)
    if (!claim || !matchesHash(token, claim.ownerTokenHash)) return { refused: 'wrong_link' }
    if (claim.linkVersion >= LINK_VERSIONS_MAX) return { refused: 'too_often' }
    const link = { claimId, linkVersion: claim.linkVersion + 1 }
    const next = nextOwnerToken(token, serviceKeys.newest.secret, link)
    const { numUpdatedRows } = await trx
      .updateTable('claim')
      .set({ linkVersion: link.linkVersion, ownerTokenHash: hashOf(next) })
      .where('id', '=', claimId)
      .where('linkVersion', '=', claim.linkVersion)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return { refused: 'wrong_link' }
    await trx
      .insertInto('renewed_link')
      .values({
        claimId,
        linkVersion: link.linkVersion,
        keyCheckValue: serviceKeys.newest.checkValue,
        nonce: null,
      })
      .execute()
    await along(trx, claim.listing.id)
    await recordDecision(trx, {
      ...{ kind: 'renew', listingId: claim.listing.id, ground: 'owner', reason: 'by_owner' },
      ...{ facts: { explanation: 'Private link renewed by its owner' }, actor: 'owner', at: now },
    })
    return { link, token: next }
  })
}
