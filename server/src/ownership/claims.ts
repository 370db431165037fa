import { randomUUID } from 'node:crypto'
import type { PublishBody } from '@placard/contract'
import type { Listing } from '../listings/listing.ts'
import type { Secret } from '../secret.ts'
import { putRow } from '../storage/put-row.ts'
import type { Db, Trx } from '../storage/store.ts'
import { deriveOwnerToken, hashOf, type LinkIdentity } from './owner-token.ts'

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

/** Adds the claim of a listing, with the approval it rests on. */
export async function addClaim(
  trx: Trx,
  listingId: number,
  requestId: string,
  submission: { secret: Secret; body: PublishBody },
  serviceKey: Secret,
  now: number,
): Promise<LinkIdentity & { ownerTokenHash: string }> {
  const link = { claimId: randomUUID(), linkVersion: 1 }
  const ownerTokenHash = hashOf(deriveOwnerToken(submission.secret, serviceKey, link))
  const { destination, approval } = submission.body
  await putClaim(trx, {
    id: link.claimId,
    listing_id: listingId,
    request_id: requestId,
    approval_scope: approval.scope,
    rules_version: approval.rulesVersion,
    approved_at: now,
    destination_as_sent: destination,
    link_version: link.linkVersion,
    owner_token_hash: ownerTokenHash,
  })
  return { ...link, ownerTokenHash }
}

const putClaim = putRow(
  'claim',
  [
    ...(['id', 'listing_id', 'request_id', 'link_version', 'owner_token_hash'] as const),
    ...(['approval_scope', 'rules_version', 'approved_at', 'destination_as_sent'] as const),
  ],
  { key: ['id'], taken: 'fail' },
)
