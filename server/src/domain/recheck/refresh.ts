import type { ReviewReason } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { SiteParts } from '../../platform/http/links.ts'
import { changeLedger } from '../boards/ledger.ts'
import { hidingDecision } from '../decisions/record.ts'
import { parseDestination } from '../destinations/destination.ts'
import { copyFromPage, pageFields } from '../listings/add-listing.ts'
import { raiseFlags } from '../listings/flags.ts'
import { type Listing, lockListing, statusOf } from '../listings/listing.ts'
import { restore } from '../moderation/moderate.ts'
import { reportFailedReview } from '../moderation/reports.ts'
import { changePublished } from '../ownership/change-listing.ts'
import { findSiteOwner } from '../ownership/site-owner.ts'
import { wantPicture } from '../pictures/preview-image.ts'
import type { FetchLimits } from '../review/fetcher/limits.ts'
import { admittedFor, type Judged } from '../review/reviewers/admitted.ts'
import { type ReviewDependencies, type Reviewed, reviewDestination } from '../review/reviewers/reviewers.ts'
import type { Reject } from '../review/verdict.ts'

type RefreshDependencies = ReviewDependencies & SiteParts

/** For a fetcher of its own, so that publishing never waits for refreshes. */
export const REFRESH_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 64, largeBodiesMax: 8 }

/** `cannot_tell`: the page could not be fetched or reviewed right now; `why` is for the log, `detail` for the owner. */
type Refreshed =
  | { outcome: 'refreshed' }
  | { outcome: 'not_published' }
  | { outcome: 'rejected'; reason: ReviewReason; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string; detail: string | undefined }

/**
 * Fetches and reviews a listing's page again, and updates the listing. If the page does not pass, the listing stays
 * unchanged, and a report asks the operator to decide.
 *
 * @param networks of the client who asked, broadest first
 */
export async function refreshListing(
  deps: RefreshDependencies,
  listing: Listing,
  networks: readonly string[],
): Promise<Refreshed> {
  const { store, clock } = deps
  if (statusOf(listing, clock()) !== 'published') return { outcome: 'not_published' }
  const reviewed = await reviewAgain(deps, listing, networks)
  switch (reviewed.verdict) {
    case 'cannot_tell':
      return { outcome: 'cannot_tell', why: reviewed.why, detail: reviewed.detail }
    case 'pass': {
      const stored = await storeRefresh(store, listing.id, reviewed, clock())
      return { outcome: stored ? 'refreshed' : 'not_published' }
    }
    case 'reject': {
      const { reason, detail } = reviewed
      const reported = await storeRejection(store, listing.id, reviewed, clock())
      return reported ? { outcome: 'rejected', reason, detail } : { outcome: 'not_published' }
    }
  }
}

type Passed = Extract<Reviewed, { verdict: 'pass' }> & { admits: readonly Judged[] }

/** Fetches and reviews the page of a listing. What an appeal admitted before passes. */
async function reviewAgain(deps: RefreshDependencies, { id, url }: Listing, networks: readonly string[]) {
  const admits = await admittedFor(deps.store.db, id)
  const destination = parseDestination(url, deps.links.hostname)
  return { ...(await reviewDestination(deps, destination, { networks, admits })), admits }
}

/** Updates a listing to what its page says now. */
async function storePage(trx: Trx, listing: Listing, { page, facts, admits }: Passed, now: number) {
  const { metadata } = page
  await raiseFlags(trx, listing.id, facts.verdicts, admits, now)
  await copyFromPage(trx, listing.id, pageFields(metadata, listing), now)
  await wantPicture(trx, listing.id, metadata.imageUrl, now)
}

/** @returns false if it is no longer published */
function storeRefresh(store: Store, listingId: number, passed: Passed, now: number): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    await storePage(trx, listing, passed, now)
    return { kind: 'refresh', explanation: 'Read and reviewed again for its owner' }
  })
}

/** @returns false if it is no longer published, so that there is nothing to decide */
function storeRejection(store: Store, listingId: number, { reason, detail }: Reject, now: number): Promise<boolean> {
  return changePublished(store, listingId, now, async trx => {
    await reportFailedReview(trx, listingId, detail ? `${reason}: ${detail}` : reason, now)
    return undefined
  })
}

/** `cannot_tell`: the page could not be fetched or reviewed right now; `why` is for the log, `detail` for the owner. */
type Reopened =
  | { outcome: 'reopened' }
  | { outcome: WhyNotReopened }
  | { outcome: 'rejected'; reason: Reject['reason']; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string; detail: string | undefined }

/**
 * `not_down`: it is published. `taken_down`: the operator or a check decided. `not_proven`: no one proved the website.
 */
export type WhyNotReopened = 'not_down' | 'taken_down' | 'not_proven'

/** Returns why its owner can't show a listing again; undefined if they can. */
export async function whyNotReopened(
  { db }: Pick<Store, 'db'>,
  listing: Listing,
  now: number,
): Promise<WhyNotReopened | undefined> {
  const status = statusOf(listing, now)
  if (status === 'published') return 'not_down'
  const isHiddenByOther = listing.hiddenAt !== null && listing.hiddenBy !== 'owner'
  if (isHiddenByOther || (await hidingDecision(db, listing.slug, { skipsOwner: true }))) return 'taken_down'
  return (await findSiteOwner(db, listing.id)) ? undefined : 'not_proven'
}

/**
 * Shows a listing that ended or was withdrawn again, for its proven owner, after its page has passed review. One that
 * has ended gets a new term.
 *
 * @param networks of the client who asked, broadest first
 */
export async function reopenListing(
  deps: RefreshDependencies,
  listing: Listing,
  networks: readonly string[],
): Promise<Reopened> {
  const { store, clock } = deps
  const whyNot = await whyNotReopened(store, listing, clock())
  if (whyNot) return { outcome: whyNot }
  const reviewed = await reviewAgain(deps, listing, networks)
  if (reviewed.verdict === 'cannot_tell') return { outcome: 'cannot_tell', why: reviewed.why, detail: reviewed.detail }
  if (reviewed.verdict === 'reject') return { outcome: 'rejected', reason: reviewed.reason, detail: reviewed.detail }
  const now = clock()
  return changeLedger(store, async trx => {
    const present = await lockListing(trx, listing.id)
    const changed = await whyNotReopened({ db: trx }, present, now)
    if (changed) return { outcome: changed }
    await storePage(trx, present, reviewed, now)
    // Whether it was hidden or not, an end that has passed is replaced.
    const hasEnded = present.expiresAt !== null && present.expiresAt <= now
    await restore(trx, hasEnded ? { ...present, hiddenAt: null } : present, 'Shown again by its owner', now, OWNER)
    return { outcome: 'reopened' }
  })
}

const OWNER = { actor: 'owner', ground: 'owner', reason: 'reopened' } as const
