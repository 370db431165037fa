import type { Store } from '../../platform/db/store.ts'
import { changeLedger } from '../boards/ledger.ts'
import { hidingDecision } from '../decisions/record.ts'
import { type Listing, lockListing, statusOf } from '../listings/listing.ts'
import { restore } from '../moderation/moderate.ts'
import { findSiteOwner } from '../ownership/site-owner.ts'
import type { Reject } from '../review/verdict.ts'
import { type RefreshDependencies, reviewAgain, storePage } from './refresh.ts'

/** `cannot_tell`: the page could not be fetched or reviewed right now; `why` is for the operator's log. */
type Reopened =
  | { outcome: 'reopened' }
  | { outcome: WhyNotReopened }
  | { outcome: 'rejected'; reason: Reject['reason']; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string }

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
  if (reviewed.verdict === 'cannot_tell') return { outcome: 'cannot_tell', why: reviewed.why }
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
