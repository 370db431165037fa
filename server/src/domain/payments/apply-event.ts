import { DISPLAY_DAYS } from '@placard/contract'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Runner, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { changeLedger } from '../boards/ledger.ts'
import { type RecordedPlace, recordPlacesTaken } from '../boards/places-taken.ts'
import { type Cause, type Changed, type Rise, settleTotals, type TotalledListing } from '../boards/totals.ts'
import { recordDecision } from '../decisions/record.ts'
import { addListing } from '../listings/add-listing.ts'
import { raiseFlags } from '../listings/flags.ts'
import { recheckSoon } from '../listings/seen-page.ts'
import { resumePicture } from '../pictures/preview-image.ts'
import { NO_METADATA, type PageMetadata } from '../review/page.ts'
import type { Judged } from '../review/reviewers/admitted.ts'
import { blockOf, refusalBy } from '../review/reviewers/blocked-hosts.ts'
import { type Payment, type PaymentId, paidEventOf, paymentFrom, type StoredEvent } from './payment.ts'
import type { ProcessorEvent } from './stripe-events.ts'

/**
 * Records a verified event and everything that follows from it, in one transaction: the payment, the boards' totals and
 * counts, the listing. Money moves rank only through this function.
 *
 * @returns `repeated` if this event was applied before; then nothing changes
 * @throws Problem not_ready if the ledger stays locked too long
 */
export function applyEvent(store: Store, event: ProcessorEvent, now: number): Promise<'applied' | 'repeated'> {
  return changeLedger(store, async trx => {
    const added = await putEvent(trx, { ...event, receivedAt: now, took: '[]' })
    if (added.length === 0) return 'repeated'
    if (movesMoney(event)) await settlePayment(trx, event, now)
    return 'applied'
  })
}

const movesMoney = ({ kind }: ProcessorEvent) => kind !== 'pending' && kind !== 'failed'

/** Recomputes the payment from all of its events, and then what depends on it. */
async function settlePayment(trx: Trx, event: ProcessorEvent, now: number): Promise<void> {
  const events = await eventsOf(trx, event)
  const checkout = await paidCheckoutOf(trx, events)
  const [before] = events.length > 1 ? await paymentOf(trx, event) : []
  const after = paymentFrom(event, events, checkout)
  await putPayment(trx, after)
  const taken: RecordedPlace[] = []
  for (const [destinationKey, days] of placesOf([before, after])) {
    const listing = await listingOf(trx, destinationKey, checkout, now)
    const added = addedTo(destinationKey, before, after)
    const rises = await settleDestination(trx, listing, added ?? { days }, { kind: event.kind, at: now })
    if (event.kind === 'paid') taken.push(...(await recordPlacesTaken(trx, destinationKey, rises, now)))
  }
  const { processor, eventId } = event
  if (taken.length > 0) await storeTaken(trx, { processor, eventId, took: JSON.stringify(taken) })
}

const putEvent = statement(
  {
    processor: 'text',
    eventId: 'text',
    type: 'text',
    kind: 'text',
    livemode: 'bigint',
    occurredAt: 'bigint',
    receivedAt: 'bigint',
    paymentId: 'text',
    sessionId: 'text?',
    checkoutId: 'text?',
    amountCents: 'bigint?',
    currency: 'text?',
    refundId: 'text?',
    disputeId: 'text?',
    took: 'text',
  },
  (event, db) =>
    db
      .insertInto('processor_event')
      .values(event as Insertable<Database['processor_event']>)
      .onConflict(conflict => conflict.columns(['eventId', 'processor']).doNothing())
      .returning('eventId'),
)

const storeTaken = statement({ processor: 'text', eventId: 'text', took: 'text' }, ({ processor, eventId, took }, db) =>
  db
    .updateTable('processor_event')
    .set({ took })
    .where('processor', '=', processor as ProcessorName)
    .where('eventId', '=', eventId),
)

const putPayment = statement(
  {
    processor: 'text',
    paymentId: 'text',
    checkoutId: 'text?',
    destinationKey: 'text?',
    paidAt: 'bigint?',
    day: 'text?',
    paidCents: 'bigint',
    refundedCents: 'bigint',
    disputedCents: 'bigint',
    netCents: 'bigint',
    closingCents: 'bigint',
    unplaced: 'text?',
  },
  ({ processor, paymentId, ...amounts }, db) =>
    db
      .insertInto('payment')
      .values({ processor, paymentId, ...amounts } as Insertable<Database['payment']>)
      .onConflict(conflict =>
        conflict.columns(['paymentId', 'processor']).doUpdateSet(amounts as Updateable<Database['payment']>),
      ),
)

/** Returns all events about a payment. */
export const eventsOf: (runner: Runner, payment: PaymentId) => Promise<StoredEvent[]> = statement(
  { processor: 'text', paymentId: 'text' },
  ({ processor, paymentId }, db) =>
    db
      .selectFrom('processor_event')
      .selectAll()
      .where('processor', '=', processor as ProcessorName)
      .where('paymentId', '=', paymentId),
)

async function paidCheckoutOf(
  trx: Trx,
  events: readonly StoredEvent[],
): Promise<Selectable<Database['checkout']> | undefined> {
  const paid = paidEventOf(events)
  if (!paid?.checkoutId) return undefined
  const [checkout] = await checkoutOf(trx, { id: paid.checkoutId, processor: paid.processor })
  return checkout
}

const checkoutOf = statement({ id: 'text', processor: 'text' }, ({ id, processor }, db) =>
  db
    .selectFrom('checkout')
    .selectAll()
    .where('id', '=', id)
    .where('processor', '=', processor as ProcessorName),
)

const paymentOf = statement({ processor: 'text', paymentId: 'text' }, ({ processor, paymentId }, db) =>
  db
    .selectFrom('payment')
    .selectAll()
    .where('processor', '=', processor as ProcessorName)
    .where('paymentId', '=', paymentId),
)

/** Returns each destination that the payments count for, with the days. */
function placesOf(payments: readonly (Payment | undefined)[]): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const payment of payments) {
    if (!payment?.destinationKey || !payment.day) continue
    const days = places.get(payment.destinationKey) ?? []
    if (!days.includes(payment.day)) days.push(payment.day)
    places.set(payment.destinationKey, days)
  }
  return places
}

/** Returns what a payment adds to a destination, if nothing of it counted before: then nothing else has changed. */
function addedTo(destinationKey: string, before: Payment | undefined, after: Payment): Changed | undefined {
  const { netCents: totalCents, day, paidAt: reachedAt } = after
  const isNew = after.destinationKey === destinationKey && totalCents > 0 && !before?.netCents
  return isNew && day !== null && reachedAt !== null ? { added: { day, totalCents, reachedAt } } : undefined
}

/** Returns the listing of a destination, and first lists it from a paid checkout if it is not listed yet. */
async function listingOf(
  trx: Trx,
  destinationKey: string,
  checkout: Selectable<Database['checkout']> | undefined,
  now: number,
): Promise<PaidListing> {
  const [listed] = await findListing(trx, { destinationKey })
  if (listed) return listed
  if (checkout?.destinationKey === destinationKey) await listPaid(trx, checkout, now)
  const [added] = await findListing(trx, { destinationKey })
  // Payments are credited to checkouts, and every paid checkout has a listing.
  if (!added) throw new Error(`there is no listing for ${destinationKey}`)
  return added
}

/** Lists the destination of a paid checkout, from the page reviewed at checkout. Hides it if its host was blocked since. */
async function listPaid(trx: Trx, checkout: Selectable<Database['checkout']>, now: number): Promise<void> {
  const { destinationKey: key, url, hostname, category, page } = checkout
  if (page === null) return
  // An older version may have stored fewer fields.
  const metadata: PageMetadata = { ...NO_METADATA, ...JSON.parse(page) }
  const listing = await addListing(trx, { key, url, hostname }, category, metadata, now)
  if (!listing) return
  const block = await blockOf(trx, hostname)
  if (block) return hideBlocked(trx, listing.id, refusalBy(block, hostname), now)
  await recordDecision(trx, {
    kind: 'accept',
    listingId: listing.id,
    ground: 'rules/review',
    reason: 'passed_review',
    facts: { reviewed: 'before it was paid' },
    actor: 'automatic',
    at: now,
  })
}

/** Hides a new listing, and raises a finding for the operator, who refunds the payment or restores the listing. */
async function hideBlocked(trx: Trx, listingId: number, refusal: Judged, now: number): Promise<void> {
  const explanation = 'The operator blocked this host before the payment arrived.'
  await trx
    .updateTable('listing')
    .set({ hiddenAt: now, hiddenBy: 'automatic', hiddenReason: explanation })
    .where('id', '=', listingId)
    .execute()
  await recordDecision(trx, {
    kind: 'hide',
    listingId,
    ground: 'rules/content',
    reason: refusal.reason,
    facts: { explanation, verdicts: [{ ...refusal, outcome: 'reject' }] },
    actor: 'automatic',
    at: now,
  })
  await raiseFlags(trx, listingId, [{ ...refusal, outcome: 'flag' }], [], now)
}

/**
 * Updates a destination's totals and its listing's end. A listing with verified money has no scheduled end; one without
 * ends like a free one.
 *
 * @returns the boards on which the destination rose
 */
async function settleDestination(trx: Trx, listing: PaidListing, changed: Changed, cause: Cause): Promise<Rise[]> {
  const { totalCents, rises } = await settleTotals(trx, listing, changed, cause)
  if ((listing.expiresAt === null) === totalCents > 0) return rises
  const freeEnd = listing.publishedAt + daysMs(DISPLAY_DAYS)
  await trx
    .updateTable('listing')
    .set({ expiresAt: totalCents > 0 ? null : freeEnd, updatedAt: cause.at })
    .where('id', '=', listing.id)
    .execute()
  // At once, because a listing that had ended was rarely rechecked.
  if (totalCents > 0) await recheckSoon(trx, listing.id, 0)
  if (listing.expiresAt !== null && listing.expiresAt <= cause.at) await resumePicture(trx, listing.id, cause.at)
  return rises
}

type PaidListing = TotalledListing & Pick<Selectable<Database['listing']>, 'expiresAt' | 'publishedAt'>

const findListing: (runner: Runner, of: { destinationKey: string }) => Promise<PaidListing[]> = statement(
  { destinationKey: 'text' },
  ({ destinationKey }, db) =>
    db
      .selectFrom('listing')
      .select(['id', 'destinationKey', 'category', 'hiddenAt', 'expiresAt', 'publishedAt'])
      .where('destinationKey', '=', destinationKey),
)
