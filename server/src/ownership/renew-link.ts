import type { ServiceKeys } from '../keys/service-keys.ts'
import { audit } from '../listings/audit.ts'
import type { Secret } from '../secret.ts'
import type { Store } from '../storage/store.ts'
import { findClaim } from './claims.ts'
import { hashOf, LINK_VERSIONS_MAX, type LinkIdentity, matchesHash, nextOwnerToken } from './owner-token.ts'

/** `wrong_link`: not the present link, or no longer. `too_often`: it was renewed as often as it can be. */
type Renewal = { link: LinkIdentity; token: Secret } | { refused: WhyNotRenewed }
export type WhyNotRenewed = 'wrong_link' | 'too_often'

/**
 * Puts a new private link in the place of the present one: the old one opens nothing from now on, nor does a visit that
 * was opened with it, and a replay of the submission gives the new one. Of two renewals at once, one is refused.
 *
 * In every status of the listing: else one that is restored would come back with the link that was stolen.
 *
 * The new link is given only together with the end of the old one. A look at it beforehand would give whoever stole the
 * old link a way to keep it.
 *
 * @param token what the owner brings as the present token
 */
export function renewLink(
  { store, serviceKeys }: { store: Store; serviceKeys: ServiceKeys },
  claimId: string,
  token: Secret,
  now: number,
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
      })
      .execute()
    await audit(trx, {
      listingId: claim.listing.id,
      action: 'renew',
      actor: 'owner',
      reason: 'Private link renewed by its owner',
      at: now,
    })
    return { link, token: next }
  })
}
