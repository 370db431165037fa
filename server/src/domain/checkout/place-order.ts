import { randomUUID } from 'node:crypto'
import { type Board, MINIMUM_CHARGE_CENTS } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import type { Insertable } from 'kysely'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { Links, SiteParts } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { changeLedger } from '../boards/ledger.ts'
import { boardKey } from '../boards/totals.ts'
import type { Destination } from '../destinations/destination.ts'
import { isListed } from '../listings/listing.ts'
import type { SessionOrder, StripeAccount } from '../payments/stripe.ts'
import type { PageMetadata } from '../review/page.ts'
import { type ReviewDependencies, reviewDestination, reviewUnavailable } from '../review/reviewers/reviewers.ts'
import { blockingOrder, type PendingOrder, readPending } from './offer.ts'
import { findPromotable, readPrice } from './price.ts'
import {
  CLOSING_MS,
  closeAll,
  closeSession,
  reinstateOrder,
  supersededSince,
  supersedeOthers,
} from './supersede-orders.ts'

export type CheckoutDependencies = ReviewDependencies & SiteParts & { stripe: StripeAccount }

/** What a person saw and agreed to. `amountCents` is the price that was shown. */
export interface Order
  extends Pick<Database['checkout'], 'category' | 'board' | 'targetBid' | 'amountCents' | 'provedBy' | 'rulesVersion'> {
  destination: Destination
  /** The networks of the client, broadest first. */
  networks: readonly string[]
}

/**
 * Why an order is refused:
 * - `not_shown`: the listing is hidden or has ended.
 * - `price_changed`: the amount due is no longer the one shown.
 * - `order_pending`: the money of an order for this website and board is on its way.
 * - `payment_waiting`: the order `waitingId` was paid, but its event has not arrived.
 */
type Refusal =
  | { refused: 'not_shown' | 'price_changed' }
  | { refused: 'order_pending'; pending: PendingOrder }
  | { refused: 'payment_waiting'; waitingId: string }
export type Opening = { checkoutId: string } | Refusal

type Log = Pick<FastifyBaseLogger, 'warn'>

/**
 * Opens a payment page at the processor for an order. A destination has one open order: once a newer one has a payment
 * page, it supersedes the older ones, and their pages are closed. The caller must have checked ownership and consent.
 *
 * @throws Problem review_rejected or review_unavailable for an unlisted destination, payment_evidence_unavailable,
 * payments_unavailable. Then there is nothing to pay, and older orders stay as they are
 */
export async function openCheckout(deps: CheckoutDependencies, order: Order, log: Log): Promise<Opening> {
  const { store, stripe } = deps
  const refused = await whyRefused(deps, order)
  if (refused) return refused
  const page = await reviewUnlisted(deps, order.destination, order.networks)
  // A payment may have arrived during the review.
  const refusedSince = page && (await whyRefused(deps, order))
  if (refusedSince) return refusedSince
  const checkout = newCheckout(deps, order, page === undefined ? null : JSON.stringify(page))
  await store.transact(trx => trx.insertInto('checkout').values(checkout).execute())
  const sessionId = await stripe.createSession(sessionOrderOf(checkout, deps.links))
  const opened = await changeLedger(store, async trx => {
    const now = deps.clock()
    // Under the lock that every payment takes, because earlier reads may be out of date.
    const refused = await whyRefusedIn(trx, order, now)
    if (refused) {
      await trx.deleteFrom('checkout').where('id', '=', checkout.id).execute()
      return refused
    }
    const justSuperseded = await supersededSince(trx, checkout, now - CLOSING_MS)
    const superseded = await supersedeOthers(trx, checkout, now)
    await storeSession(trx, checkout, sessionId)
    return { older: [...superseded, ...justSuperseded] }
  })
  if ('refused' in opened) {
    await closeSession(stripe, sessionId, log)
    return opened
  }
  const waiting = await closeAll(deps, opened.older, log)
  if (!waiting) return { checkoutId: checkout.id }
  await reinstateOrder(deps, waiting, log)
  return { refused: 'payment_waiting', waitingId: waiting.id }
}

async function whyRefused({ store, clock }: CheckoutDependencies, order: Order) {
  const { destination, board, targetBid } = order
  const now = clock()
  const { chargeAmountCents } = await readPrice(store, { destinationKey: destination.key, board, targetBid }, now)
  return refusalOf(store.db, order, chargeAmountCents, now)
}

/** Checks again, in a transaction that holds the ledger lock. */
async function whyRefusedIn(trx: Trx, order: Order, now: number) {
  const { destination, board, targetBid } = order
  const total = await trx
    .selectFrom('board_total')
    .select('totalCents')
    .where('board', '=', boardKey(board, now))
    .where('destinationKey', '=', destination.key)
    .executeTakeFirst()
  return refusalOf(trx, order, targetBid * 100 - (total?.totalCents ?? 0), now)
}

async function refusalOf(
  db: Db,
  { destination, board, amountCents }: Order,
  dueCents: number,
  now: number,
): Promise<Refusal | undefined> {
  if ((await findPromotable(db, destination.key, now)).isDown) return { refused: 'not_shown' }
  const pending = blockingOrder(await readPending(db, destination.key), board, now)
  if (pending) return { refused: 'order_pending', pending }
  const isPayable = dueCents >= MINIMUM_CHARGE_CENTS
  return isPayable && dueCents === amountCents ? undefined : { refused: 'price_changed' }
}

type NewCheckout = Insertable<Database['checkout']>

const newCheckout = (deps: CheckoutDependencies, order: Order, page: string | null): NewCheckout => ({
  id: randomUUID(),
  processor: deps.stripe.name,
  sessionId: null,
  destinationKey: order.destination.key,
  url: order.destination.url,
  hostname: order.destination.hostname,
  category: order.category,
  board: order.board,
  targetBid: order.targetBid,
  amountCents: order.amountCents,
  page,
  provedBy: order.provedBy,
  rulesVersion: order.rulesVersion,
  createdAt: deps.clock(),
  supersededAt: null,
})

const sessionOrderOf = (checkout: NewCheckout, links: Links): SessionOrder => {
  const { id, url, hostname, category, board, targetBid } = checkout
  return {
    checkoutId: id,
    board,
    createdAt: checkout.createdAt,
    amountCents: checkout.amountCents,
    description: `Paid place on ${links.site.name} for ${hostname}, ${ON_BOARD[board]}`,
    successUrl: `${links.checkout(id)}?returned=1`,
    cancelUrl: links.promote({ destination: { url }, category, board, targetBid }),
  }
}

const ON_BOARD: Record<Board, string> = {
  all: 'on the board of all time',
  today: 'on today’s board, which ends at midnight UTC',
}

/** The page's address is returned only after its session is stored, so that no payment is for an unknown order. */
const storeSession = (trx: Trx, { id }: NewCheckout, sessionId: string) =>
  trx.updateTable('checkout').set({ sessionId }).where('id', '=', id).execute()

/**
 * Fetches and reviews the page of an unlisted destination before taking money, as publishing would.
 *
 * @param networks of the client, broadest first
 * @returns the page's metadata, for listing it once it is paid; undefined if it is already listed
 * @throws Problem review_rejected, review_unavailable
 */
async function reviewUnlisted(
  deps: ReviewDependencies & { store: Store },
  destination: Destination,
  networks: readonly string[],
): Promise<PageMetadata | undefined> {
  if (await isListed(deps.store, destination.key)) return undefined
  const reviewed = await reviewDestination(deps, destination, { networks })
  if (reviewed.verdict === 'cannot_tell') throw reviewUnavailable(reviewed)
  if (reviewed.verdict === 'reject') {
    const { reason, detail } = reviewed
    throw new Problem('review_rejected', { reason, detail })
  }
  return reviewed.page.metadata
}
