import { randomUUID } from 'node:crypto'
import { type Board, MINIMUM_CHARGE_CENTS } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import { type Insertable, sql } from 'kysely'
import type { Destination } from '../destinations/destination.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { changeLedger } from '../payments/ledger-lock.ts'
import type { SessionOrder, StripeAccount } from '../payments/stripe.ts'
import type { FetchPage } from '../reading/page.ts'
import type { Reviewers } from '../review/reviewers.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import type { Store, Trx } from '../storage/store.ts'
import { readPrice } from './price.ts'
import { findPromotable } from './promotable.ts'
import { reviewUnlisted } from './review-unlisted.ts'

export interface CheckoutDependencies {
  links: Links
  store: Store
  stripe: StripeAccount
  fetchPage: FetchPage
  reviewers: Pick<Reviewers, 'review'>
  clock: () => number
}

/** What a person saw and agreed to. */
export interface Order {
  destination: Destination
  category: string
  board: Board
  targetBid: number
  /** The price that was shown. */
  amountCents: number
  provedBy: CheckoutTable['provedBy']
  rulesVersion: string
}

/**
 * `not_shown`: the listing is hidden or has ended. `price_changed`: the amount due is no longer the one shown.
 * `payment_waiting`: somebody has paid the order `waitingId`, but its event has not arrived.
 */
export type Opening =
  | { checkoutId: string }
  | { refused: 'not_shown' | 'price_changed' }
  | { refused: 'payment_waiting'; waitingId: string }

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
  if (refused) return { refused }
  const page = await reviewUnlisted(deps, order.destination)
  // A payment may have arrived during the review.
  const refusedSince = page && (await whyRefused(deps, order))
  if (refusedSince) return { refused: refusedSince }
  const checkout = newCheckout(deps, order, page === undefined ? null : JSON.stringify(page))
  await store.transact(trx => trx.insertInto('checkout').values(checkout).execute())
  const sessionId = await stripe.createSession(sessionOrderOf(checkout, deps.links))
  const older = await changeLedger(store, async trx => {
    const superseded = await supersedeOthers(trx, checkout, deps.clock())
    await storeSession(trx, checkout, sessionId)
    return superseded
  })
  const waiting = await closeAll(deps, older, log)
  if (!waiting) return { checkoutId: checkout.id }
  await giveWay(deps, waiting, log)
  return { refused: 'payment_waiting', waitingId: waiting.id }
}

async function whyRefused({ store, clock }: CheckoutDependencies, order: Order) {
  const { destination, board, targetBid, amountCents } = order
  const now = clock()
  if ((await findPromotable(store.db, destination.key, now)).isDown) return 'not_shown'
  const { chargeAmountCents } = await readPrice(
    store,
    { destinationKey: destination.key, board, targetBid },
    now,
  )
  const isPayable = chargeAmountCents >= MINIMUM_CHARGE_CENTS
  return isPayable && chargeAmountCents === amountCents ? undefined : 'price_changed'
}

type NewCheckout = Insertable<CheckoutTable>

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

/** Nobody gets the page's address before its session is stored, so nobody pays for an unknown order. */
const storeSession = (trx: Trx, { id }: NewCheckout, sessionId: string) =>
  trx.updateTable('checkout').set({ sessionId }).where('id', '=', id).execute()

/**
 * Marks all open orders of a destination but one as superseded. Of several at once, the last to arrive here stays; one
 * without a payment page yet arrives later. An order with any event was completed, and stays too.
 *
 * @returns the superseded orders, whose sessions should be expired
 */
async function supersedeOthers(trx: Trx, stays: Staying, now: number): Promise<Superseded[]> {
  return trx
    .updateTable('checkout')
    .set({ supersededAt: now })
    .where('destinationKey', '=', stays.destinationKey)
    .where('id', '!=', stays.id)
    .where('sessionId', 'is not', null)
    .where('supersededAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('processor_event')
            .select('eventId')
            .whereRef('processor_event.processor', '=', 'checkout.processor')
            .whereRef('processor_event.sessionId', '=', 'checkout.sessionId'),
        ),
      ),
    )
    .returning(['id', 'destinationKey', 'processor', sql<string>`"sessionId"`.as('sessionId')])
    .execute()
}

type Staying = Pick<NewCheckout, 'id' | 'destinationKey'>
type Superseded = Pick<NewCheckout, 'id' | 'destinationKey' | 'processor'> & { sessionId: string }

/**
 * Closes their payment pages, best effort: a payment on a page that stays open still counts.
 *
 * @returns the order that turns out to be paid, if any, with its event still to come
 */
async function closeAll(
  { stripe }: CheckoutDependencies,
  superseded: readonly Superseded[],
  log: Log,
): Promise<Superseded | undefined> {
  const ours = superseded.filter(order => order.processor === stripe.name)
  const found = await Promise.all(ours.map(order => closeSession(stripe, order.sessionId, log)))
  return ours.find((_, at) => found[at] === 'complete')
}

async function closeSession(stripe: StripeAccount, sessionId: string, log: Log) {
  try {
    return await stripe.expireSession(sessionId)
  } catch (error) {
    const err = error instanceof Problem ? error.cause : error
    log.warn({ err, sessionId }, 'could not close a superseded payment page')
    return undefined
  }
}

/** Gives a paid order its place back from newer ones. */
async function giveWay(deps: CheckoutDependencies, waiting: Superseded, log: Log): Promise<void> {
  const { store, clock } = deps
  const newer = await changeLedger(store, async trx => {
    const others = await supersedeOthers(trx, waiting, clock())
    await trx.updateTable('checkout').set({ supersededAt: null }).where('id', '=', waiting.id).execute()
    return others
  })
  await closeAll(deps, newer, log)
}
