import { DISPLAY_DAYS } from '@placard/contract'
import type { Selectable } from 'kysely'
import { type Rise, settleTotals } from '../boards/totals.ts'
import { recordDecision } from '../decisions/record.ts'
import { addListing } from '../listings/add-listing.ts'
import { isListed } from '../listings/listing.ts'
import { lookSoon } from '../listings/look-soon.ts'
import type { PageMetadata } from '../reading/page.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Trx } from '../storage/store.ts'
import { daysMs } from '../time.ts'

/** Lists the destination of a paid checkout, if it is not listed yet, from the page reviewed at checkout. */
export async function listPaid(trx: Trx, checkout: Selectable<CheckoutTable>, now: number): Promise<void> {
  const { destinationKey: key, url, hostname, category, page } = checkout
  if (page === null || (await isListed(trx, key))) return
  const listing = await addListing(
    trx,
    { key, url, hostname },
    category,
    JSON.parse(page) as PageMetadata,
    now,
  )
  if (!listing) return
  await recordDecision(trx, {
    ...{ kind: 'accept', listingId: listing.id, ground: 'rules/review', reason: 'passed_review' },
    ...{ facts: { reviewed: 'before it was paid' }, actor: 'automatic', at: now },
  })
}

/**
 * Updates a destination's totals, on `all` and on the given days' boards, and its listing's end, from its payments. A
 * listing with verified money has no scheduled end; one without ends like a free one.
 *
 * @returns where it rose
 */
export async function settleDestination(
  trx: Trx,
  destinationKey: string,
  days: readonly string[],
): Promise<Rise[]> {
  const [listing] = await listingOf(trx, { destinationKey })
  // Payments are credited to checkouts, and a paid checkout always has a listing.
  if (!listing) throw new Error(`there is no listing for ${destinationKey}`)
  const { totalCents, rises } = await settleTotals(trx, destinationKey, days, {
    id: listing.id,
    category: listing.category,
    isShown: listing.hiddenAt === null,
  })
  if ((listing.expiresAt === null) === totalCents > 0) return rises
  const freeEnd = listing.publishedAt + daysMs(DISPLAY_DAYS)
  await trx
    .updateTable('listing')
    .set({ expiresAt: totalCents > 0 ? null : freeEnd })
    .where('id', '=', listing.id)
    .execute()
  // At once: one that had ended was seldom looked at.
  if (totalCents > 0) await lookSoon(trx, listing.id, 0)
  return rises
}

const listingOf = statement({ destinationKey: 'text' }, ({ destinationKey }, db) =>
  db
    .selectFrom('listing')
    .select(['id', 'category', 'hiddenAt', 'expiresAt', 'publishedAt'])
    .where('destinationKey', '=', destinationKey),
)
