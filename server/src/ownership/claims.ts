import { randomUUID } from 'node:crypto'
import type { PublishBody } from '@placard/contract'
import type { Listing } from '../listings/listing.ts'
import type { Secret } from '../secret.ts'
import { statement } from '../storage/statement.ts'
import type { Db, Trx } from '../storage/store.ts'
import { deriveOwnerToken, hashOf, type LinkIdentity } from './owner-token.ts'

export interface Claim {
  claimId: string
  linkVersion: number
  ownerTokenHash: string
  listing: Listing
}

/** A claim with its listing, or undefined. */
export async function findClaim(db: Db, id: string): Promise<Claim | undefined> {
  const row = await db
    .selectFrom('claim')
    .innerJoin('listing', 'listing.id', 'claim.listingId')
    .selectAll('listing')
    .select(['claim.id as claimId', 'claim.linkVersion', 'claim.ownerTokenHash'])
    .where('claim.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { claimId, linkVersion, ownerTokenHash, ...listing } = row
  return { claimId, linkVersion, ownerTokenHash, listing }
}

/** Adds a listing's claim, with the approval behind it. @returns the first private link, and its token */
export async function addClaim(
  trx: Trx,
  listingId: number,
  requestId: string,
  submission: { secret: Secret; body: PublishBody },
  serviceKey: Secret,
  now: number,
): Promise<LinkIdentity & { ownerTokenHash: string; ownerToken: Secret }> {
  const link = { claimId: randomUUID(), linkVersion: 1 }
  const ownerToken = deriveOwnerToken(submission.secret, serviceKey, link)
  const ownerTokenHash = hashOf(ownerToken)
  const { destination, approval } = submission.body
  await putClaim(trx, {
    id: link.claimId,
    listingId,
    requestId,
    approvalScope: approval.scope,
    rulesVersion: approval.rulesVersion,
    approvedAt: now,
    destinationAsSent: destination,
    linkVersion: link.linkVersion,
    ownerTokenHash,
  })
  return { ...link, ownerTokenHash, ownerToken }
}

const putClaim = statement(
  {
    ...{ id: 'text', listingId: 'bigint', requestId: 'text', linkVersion: 'bigint', ownerTokenHash: 'text' },
    ...{ approvalScope: 'text', rulesVersion: 'text', approvedAt: 'bigint', destinationAsSent: 'text' },
  },
  (claim, db) => db.insertInto('claim').values(claim),
)
