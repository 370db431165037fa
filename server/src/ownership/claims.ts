import type { Listing } from '../listings/listing.ts'
import type { Db, Trx } from '../storage/store.ts'

export interface ManagedListing {
  claimId: string
  linkVersion: number
  ownerTokenHash: string
  listing: Listing
}

/** A claim with its listing, or undefined where there is no such claim. */
export async function findClaim(db: Db, claimId: string): Promise<ManagedListing | undefined> {
  const row = await db
    .selectFrom('claim')
    .innerJoin('listing', 'listing.id', 'claim.listing_id')
    .selectAll('listing')
    .select(['claim.id as claim_id', 'claim.link_version', 'claim.owner_token_hash'])
    .where('claim.id', '=', claimId)
    .executeTakeFirst()
  if (!row) return undefined
  const { claim_id, link_version, owner_token_hash, ...listing } = row
  return { claimId: claim_id, linkVersion: link_version, ownerTokenHash: owner_token_hash, listing }
}

/** Takes a listing down on its owner's word. Final for the owner: only an operator restores (spec 3). */
export async function withdrawListing(trx: Trx, listingId: number, now: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('listing')
    .set({ hidden_at: now, hidden_by: 'owner', hidden_reason: 'Withdrawn by its owner' })
    .where('id', '=', listingId)
    .where('hidden_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await trx
    .insertInto('audit_event')
    .values({
      listing_id: listingId,
      action: 'withdraw',
      actor: 'owner',
      reason: 'Withdrawn by its owner',
      at: now,
    })
    .execute()
}
