import { randomUUID } from 'node:crypto'
import { type Board, MINIMUM_CHARGE_CENTS } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import type { Insertable } from 'kysely'
import type { Destination } from '../destinations/destination.ts'
import type { FetchPage } from '../destinations/page.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import type { Reviewer } from '../review/reviewers.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import type { Store, Trx } from '../storage/store.ts'
import { lockLedger } from './ledger-lock.ts'
import { readPrice } from './price.ts'
import type { Processor } from './processors/processor.ts'
import { findPromotable } from './promotable.ts'
import { reviewUnlisted } from './review-unlisted.ts'

export interface CheckoutDependencies {
  links: Links
  store: Store
  processor: Processor
  fetchPage: FetchPage
  reviewers: readonly Reviewer[]
  clock: () => number
}

/** What a person saw and agreed to. */
export interface Order {
  destination: Destination
  category: string
  board: Board
  targetUsd: number
  /** The price that was shown. */
  amountCents: number
  provedBy: CheckoutTable['proved_by']
  rulesVersion: string
}

/** `not_shown`: the listing is hidden or has ended. `price_changed`: another amount is due than was shown. */
export type Opening = { checkoutId: string } | { refused: 'not_shown' | 'price_changed' }

type Log = Pick<FastifyBaseLogger, 'warn'>

/**
 * Opens a payment page at the processor for an order. A destination has one open order: a newer one takes the place of
 * the older ones, whose payment pages are closed. Whoever calls this has seen the proof of ownership and the consent.
 *
 * @throws Problem review_rejected or review_unavailable for a destination that is not listed yet,
 *   payment_evidence_unavailable, payments_unavailable: there is nothing to pay then
 */
export async function openCheckout(deps: CheckoutDependencies, order: Order, log: Log): Promise<Opening> {
  const { destination } = order
  const refused = await whyRefused(deps, order)
  if (refused) return { refused }
  const page = await reviewUnlisted(deps, destination)
  // A review takes its time, in which a payment may arrive.
  const refusedSince = page && (await whyRefused(deps, order))
  if (refusedSince) return { refused: refusedSince }
  const checkout = newCheckout(deps, order, page === undefined ? null : JSON.stringify(page))
  const superseded = await deps.store.transact(async trx => {
    await lockLedger(deps.store, trx)
    const older = await supersedeOpen(trx, checkout)
    await trx.insertInto('checkout').values(checkout).execute()
    return older
  })
  for (const sessionId of superseded) await closeSession(deps, sessionId, log)
  await openSession(deps, checkout, log)
  return { checkoutId: checkout.id }
}

async function whyRefused({ store, clock }: CheckoutDependencies, order: Order) {
  const { destination, board, targetUsd, amountCents } = order
  const now = clock()
  if ((await findPromotable(store.db, destination.key, now)).isDown) return 'not_shown'
  const { chargeAmountCents } = await readPrice(
    store,
    { destinationKey: destination.key, board, targetUsd },
    now,
  )
  const isPayable = chargeAmountCents >= MINIMUM_CHARGE_CENTS
  return isPayable && chargeAmountCents === amountCents ? undefined : 'price_changed'
}

type NewCheckout = Insertable<CheckoutTable>

const newCheckout = (deps: CheckoutDependencies, order: Order, page: string | null): NewCheckout => ({
  id: randomUUID(),
  processor: deps.processor.name,
  session_id: null,
  destination_key: order.destination.key,
  url: order.destination.url,
  hostname: order.destination.hostname,
  category: order.category,
  board: order.board,
  target_usd: order.targetUsd,
  amount_cents: order.amountCents,
  page,
  proved_by: order.provedBy,
  rules_version: order.rulesVersion,
  created_at: deps.clock(),
  superseded_at: null,
})

/**
 * Marks the open orders of a destination as superseded. An order that its processor said anything of was gone through
 * with, and stays.
 *
 * @returns their sessions, which nobody must pay any more
 */
async function supersedeOpen(trx: Trx, { destination_key, created_at }: NewCheckout): Promise<string[]> {
  const older = await trx
    .updateTable('checkout')
    .set({ superseded_at: created_at })
    .where('destination_key', '=', destination_key)
    .where('superseded_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('processor_event')
            .select('event_id')
            .whereRef('processor_event.processor', '=', 'checkout.processor')
            .whereRef('processor_event.session_id', '=', 'checkout.session_id'),
        ),
      ),
    )
    .returning('session_id')
    .execute()
  return older.flatMap(({ session_id }) => session_id ?? [])
}

/** Best effort: whatever is paid there would count, so a page that stays open takes nobody's money for nothing. */
async function closeSession({ processor }: CheckoutDependencies, sessionId: string, log: Log): Promise<void> {
  try {
    await processor.expireSession(sessionId)
  } catch (err) {
    log.warn({ err, sessionId }, 'a superseded payment page could not be closed')
  }
}

/** The page can only be reached once its session is stored: nobody pays for what is not known here. */
async function openSession(deps: CheckoutDependencies, checkout: NewCheckout, log: Log): Promise<void> {
  const { links, processor, store } = deps
  const { id, url, hostname, category, board, target_usd: target } = checkout
  const sessionId = await answered(
    processor.createSession({
      checkoutId: id,
      createdAt: checkout.created_at,
      amountCents: checkout.amount_cents,
      description: `Paid place on Placard for ${hostname}`,
      successUrl: `${links.checkout(id)}?returned=1`,
      cancelUrl: links.promote({ destination: url, category, board, target }),
    }),
  )
  const stored = await store.transact(trx =>
    trx
      .updateTable('checkout')
      .set({ session_id: sessionId })
      .where('id', '=', id)
      .returning('superseded_at')
      .executeTakeFirstOrThrow(),
  )
  // Whoever superseded it meanwhile had no session to close yet.
  if (stored.superseded_at !== null) await closeSession(deps, sessionId, log)
}

/** @throws Problem payments_unavailable for whatever a processor fails with */
async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (cause) {
    throw cause instanceof Problem ? cause : new Problem('payments_unavailable', { cause })
  }
}
