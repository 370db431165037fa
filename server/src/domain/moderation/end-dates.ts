import { DISPLAY_DAYS } from '@placard/contract'
import type { Store } from '../../platform/db/store.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { changeLedger } from '../boards/ledger.ts'
import { endedBefore, recordDecision, wasDecidedSince } from '../decisions/record.ts'
import { type Listing, lockListingAt, statusOf } from '../listings/listing.ts'
import { recheckSoon } from '../listings/seen-page.ts'
import { planMail } from '../notifications/owner/plan-mail.ts'
import { resumePicture } from '../pictures/preview-image.ts'
import type { Moderated, Moderator } from './moderate.ts'

/** Why a listing's end did not change. */
export const NOT_CHANGED = {
  paid: 'has a paid place, and cannot end while that counts',
  hidden: 'is hidden: restore it first',
  ended: 'has ended already',
  not_later: 'already lasts at least that long',
} as const
type NotChanged = keyof typeof NOT_CHANGED

/** The result of changing an end. `before`: the previous end. */
export type TermChanged = Moderated & { before: number | null; why?: NotChanged }

interface TermChange {
  reason: 'ended' | 'extended' | 'undone'
  endsAt: number
}

type Changer = Pick<Moderator, 'actor' | 'seen' | 'ground'>

/** Ends a published listing now. From then on, its receipt says `expired`. Its owner can appeal. */
export const endListing = (store: Store, slug: string, explanation: string, now: number, by: Changer) =>
  changeTerm(store, slug, { reason: 'ended', endsAt: now }, explanation, now, by)

/** Gives a listing a number of days from now, whether it has ended or not. @param days from 1 to `DISPLAY_DAYS` */
export const extendListing = (
  store: Store,
  slug: string,
  days: number,
  explanation: string,
  now: number,
  by: Changer,
) => changeTerm(store, slug, { reason: 'extended', endsAt: now + daysMs(days) }, explanation, now, by)

/** Resets the end of a listing to the one before an operator changed it. */
export const undoTerm = (store: Store, slug: string, endsAt: number, explanation: string, now: number, by: Changer) =>
  changeTerm(store, slug, { reason: 'undone', endsAt }, explanation, now, by)

/**
 * Changes the end of a listing without verified money, and records that. The end is always a fixed time after
 * publication, on which discovery, search and refunds rely. So the time of publication moves, too, as it does when a
 * listing is restored.
 *
 * @returns undefined if there is no such listing
 */
function changeTerm(
  store: Store,
  slug: string,
  { reason, endsAt }: TermChange,
  explanation: string,
  now: number,
  { actor, seen, ground = 'rules/operator' }: Changer,
): Promise<TermChanged | undefined> {
  // A payment removes a listing's end.
  return changeLedger(store, async trx => {
    const listing = await lockListingAt(trx, slug)
    if (!listing) return undefined
    const before = listing.expiresAt
    if (await wasDecidedSince(trx, listing.id, seen)) return { listing, before, changed: false }
    const why = whyNot(listing, { reason, endsAt }, now)
    if (why) return { listing, before, changed: false, why }
    const term = { publishedAt: endsAt - daysMs(DISPLAY_DAYS), expiresAt: endsAt }
    await trx
      .updateTable('listing')
      .set({ ...term, updatedAt: now })
      .where('id', '=', listing.id)
      .execute()
    if (before !== null && before <= now) {
      await recheckSoon(trx, listing.id, now)
      await resumePicture(trx, listing.id, now)
    }
    const decisionId = await recordDecision(trx, {
      kind: 'term',
      listingId: listing.id,
      about: reason === 'undone' ? await endedBefore(trx, slug) : null,
      ground,
      reason,
      actor,
      at: now,
      facts: { explanation, endedAtBefore: before, endsAt },
    })
    await planMail(trx, listing.id, { kind: 'decided', facts: { decisionId } }, now)
    return { listing: { ...listing, ...term }, before, changed: true }
  })
}

function whyNot(listing: Listing, { reason, endsAt }: TermChange, now: number): NotChanged | undefined {
  if (listing.hiddenAt !== null) return 'hidden'
  if (listing.expiresAt === null) return 'paid'
  if (reason === 'ended') return statusOf(listing, now) === 'expired' ? 'ended' : undefined
  return reason === 'extended' && endsAt <= listing.expiresAt ? 'not_later' : undefined
}
