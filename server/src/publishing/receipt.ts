import { MINIMUM_TARGET_USD, type Receipt } from '@placard/contract'
import type { Links } from '../http/links.ts'
import { statusOf } from '../listings/listing.ts'
import { deriveOwnerToken, ownerTokenText } from '../ownership/owner-token.ts'
import type { Secret } from '../secret.ts'
import type { ListingStatus } from '../storage/schema.ts'
import type { Attempt } from './attempts.ts'

/** What a receipt is made from: the published listing and its claim. */
export interface Published {
  requestId: string
  slug: string
  status: ListingStatus
  expiresAt: number | null
  claimId: string
  linkVersion: number
}

/** What an attempt published, with the present status of its listing; undefined where it has not. */
export function publishedBy(attempt: Attempt, now: number): Published | undefined {
  const { request_id, claim_id, link_version, slug, expires_at, hidden_at } = attempt
  if (claim_id === null || link_version === null || slug === null) return undefined
  return {
    requestId: request_id,
    slug,
    status: statusOf({ expires_at, hidden_at }, now),
    expiresAt: expires_at,
    claimId: claim_id,
    linkVersion: link_version,
  }
}

/** The receipt (spec 2.1). The private link is derived anew from the secret that the request brought. */
export function receiptFor(published: Published, secret: Secret, serviceKey: Secret, links: Links): Receipt {
  return {
    requestId: published.requestId,
    status: published.status,
    productUrl: links.product(published.slug),
    expiresAt: published.expiresAt,
    chargeCreated: false,
    paidRankingChanged: false,
    ownership: {
      sensitive: true,
      domainOwnershipVerified: false,
      ...(published.status === 'published'
        ? { privateRecoveryUrl: privateLink(published, secret, serviceKey, links) }
        : { recoveryUnavailable: true, supportUrl: links.support }),
    },
    optionalPaidPlacement: {
      quoteEndpoint: links.quoteEndpoint,
      minimumTargetUSD: MINIMUM_TARGET_USD,
      humanConfirmationRequired: true,
    },
    notice: NOTICES[published.status],
  }
}

const privateLink = (published: Published, secret: Secret, serviceKey: Secret, links: Links) =>
  links.manage(published.claimId, ownerTokenText(deriveOwnerToken(secret, serviceKey, published)))

const NOTICES: Record<ListingStatus, string> = {
  published:
    'The listing is live and free. Share productUrl only. Give privateRecoveryUrl to the customer in private: whoever has it can manage the listing.',
  expired: 'The listing has ended. Repeating the request does not renew it; support can help.',
  unavailable:
    'The listing is not shown at present. Repeating the request does not restore it; support can help.',
}
