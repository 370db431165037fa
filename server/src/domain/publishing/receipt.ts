import { MINIMUM_TARGET_USD, type Receipt } from '@placard/contract'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import type { Links } from '../../platform/http/links.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { statusOf } from '../listings/listing.ts'
import type { Attempt } from './attempts.ts'

/** The data for a receipt: the published listing and its claim. */
export interface Published {
  requestId: string
  slug: string
  status: ListingStatus
  expiresAt: number | null
  claimId: string
  linkVersion: number
  ownerTokenHash: string
  /** Where the customer approved; null if only the agent said so. */
  approval: 'browser' | null
  /** Present only right after publishing; a replay recovers it from the secret. */
  ownerToken?: Secret
}

/** Returns what an attempt published, with its listing's current status; undefined if nothing. */
export function publishedBy(attempt: Attempt, now: number): Published | undefined {
  const { requestId, claimId, linkVersion, ownerTokenHash, approval, slug, expiresAt, hiddenAt } = attempt
  if (claimId === null || linkVersion === null || ownerTokenHash === null || slug === null) return undefined
  return {
    requestId,
    slug,
    status: statusOf({ expiresAt, hiddenAt }, now),
    expiresAt,
    claimId,
    linkVersion,
    ownerTokenHash,
    approval,
  }
}

/** Why a receipt has no private link. */
export type WhyNoLink = 'not_published' | 'key_missing' | 'given_by_proof'

/**
 * Returns the receipt (spec 2.1).
 *
 * @param ownerToken as written in the private link, or why there is none
 */
export function receiptFor(published: Published, ownerToken: { text: string } | WhyNoLink, links: Links): Receipt {
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
      ...(typeof ownerToken === 'string'
        ? { recoveryUnavailable: true, supportUrl: links.support }
        : { privateRecoveryUrl: links.privateLink(published.claimId, ownerToken.text) }),
    },
    ...(links.site.sellsPlaces && {
      optionalPaidPlacement: {
        quoteEndpoint: links.quoteEndpoint,
        minimumTargetUSD: MINIMUM_TARGET_USD,
        humanConfirmationRequired: true,
      },
    }),
    ...(published.approval && { approval: published.approval }),
    notice: noticeFor(published.status, ownerToken, links),
  }
}

function noticeFor(status: ListingStatus, ownerToken: { text: string } | WhyNoLink, links: Links): string {
  if (ownerToken === 'key_missing') return LOST_KEY
  return ownerToken === 'given_by_proof' ? provenNotice(links) : NOTICES[status]
}

const LOST_KEY =
  'The listing is live and free. Its private link cannot be given again: one that was given before still works, and support can help.'
export const provenNotice = (links: Links): string => PROVEN + links.own
const PROVEN =
  'The listing is live and free. Somebody has proved that the website is theirs, and has its private link now. Links given before no longer work. If the website is yours, you can prove it at '

const NOTICES: Record<ListingStatus, string> = {
  published:
    'The listing is live and free. Share productUrl only. Give privateRecoveryUrl to the customer in private: anyone with it can manage the listing.',
  expired: 'The listing has ended. Repeating the request does not renew it; support can help.',
  unavailable: 'The listing is not shown at present. Repeating the request does not restore it; support can help.',
}
