import { randomUUID } from 'node:crypto'
import type { PublishBody } from '@placard/contract'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Trx } from '../../platform/db/store.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { isUuid } from '../../platform/lib/text.ts'
import type { Listing } from '../listings/listing.ts'
import { deriveOwnerToken, hashOf, type LinkIdentity, matchesHash, parseOwnerToken } from './owner-token.ts'

export interface Claim {
  claimId: string
  linkVersion: number
  ownerTokenHash: string
  listing: Listing
}

/** Returns a claim with its listing, or undefined. */
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

/** Rolls back what a visit to a private page did: its link was replaced in the meantime. */
export class LinkReplaced extends Error {}

/**
 * Locks the link of a visit until the transaction ends. A transaction that replaces the link waits for this one, and
 * then ends what the visit set up.
 *
 * @throws LinkReplaced if it has been replaced since the visit was checked
 */
export async function lockLink(trx: Trx, { claimId, linkVersion }: LinkIdentity): Promise<void> {
  const locked = await trx
    .selectFrom('claim')
    .select('id')
    .where('id', '=', claimId)
    .where('linkVersion', '=', linkVersion)
    .$if(trx.engine === 'postgres', query => query.forShare())
    .executeTakeFirst()
  if (!locked) throw new LinkReplaced()
}

/** Adds a listing's claim, with the approval for it. @returns the first private link, and its token */
export async function addClaim(
  trx: Trx,
  listingId: number,
  requestId: string,
  submission: { secret: Secret; body: PublishBody; approvalScope?: string },
  serviceKey: Secret,
  now: number,
): Promise<LinkIdentity & { ownerTokenHash: string; ownerToken: Secret; approval: 'browser' | null }> {
  const link = { claimId: randomUUID(), linkVersion: 1 }
  const ownerToken = deriveOwnerToken(submission.secret, serviceKey, link)
  const ownerTokenHash = hashOf(ownerToken)
  const { destination, approval: declared } = submission.body
  const approval = declared.approvalCode === undefined ? null : 'browser'
  await putClaim(trx, {
    id: link.claimId,
    listingId,
    requestId,
    approvalScope: submission.approvalScope ?? declared.scope,
    rulesVersion: declared.rulesVersion,
    approvedAt: now,
    destinationAsSent: destination,
    approval,
    linkVersion: link.linkVersion,
    ownerTokenHash,
  })
  return { ...link, ownerTokenHash, ownerToken, approval }
}

const putClaim = statement(
  {
    id: 'text',
    listingId: 'bigint',
    requestId: 'text',
    linkVersion: 'bigint',
    ownerTokenHash: 'text',
    approvalScope: 'text',
    rulesVersion: 'text',
    approvedAt: 'bigint',
    destinationAsSent: 'text',
    approval: 'text?',
  },
  (claim, db) => db.insertInto('claim').values({ ...claim, approval: claim.approval as 'browser' | null }),
)

/**
 * Returns the listing that a claim and its owner token open. Without the token, the result does not show whether the
 * claim exists.
 */
export async function openListing(db: Db, claimId: string, tokenText: unknown): Promise<Claim | undefined> {
  const token = parseOwnerToken(tokenText)
  if (!token) return undefined
  const claim = await findClaim(db, claimId)
  const matches = matchesHash(token, claim?.ownerTokenHash)
  return matches ? claim : undefined
}

/**
 * Returns claim and token from a pasted private link, ignoring text that was appended: a tracking query, a full stop.
 * Undefined if it is not such a link. `assets/private-page.js` follows the same rules.
 */
export function parsePrivateLink(text: unknown): { claimId: string; token: string } | undefined {
  if (typeof text !== 'string') return undefined
  const [address = '', fragment = ''] = text.slice(0, PASTED_MAX_LENGTH).split('#owner=', 2)
  const token = /^[\w-]+/.exec(fragment)?.[0]
  const claimId = address
    .slice(address.lastIndexOf('#') + 1)
    .split('/manage/')
    .slice(1)
    .map(rest => rest.split(/[/?]/, 1)[0] ?? '')
    .find(isUuid)
  return claimId !== undefined && token?.length === TOKEN_LENGTH ? { claimId, token } : undefined
}

const PASTED_MAX_LENGTH = 4_096

/** Length of 32 bytes in base64url. */
const TOKEN_LENGTH = 43

/**
 * Returns whether a text may contain a private link's key, however escaped. Text escaped too many times counts as if it
 * did, because no person types such an address.
 */
export function mayHoldOwnerKey(text: string): boolean {
  let plain = text
  for (let rounds = 0; rounds < UNESCAPES_MAX; rounds++) {
    if (/owner=/i.test(plain)) return true
    const next = plain.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === plain) return false
    plain = next
  }
  return true
}

const UNESCAPES_MAX = 8
