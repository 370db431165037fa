import { randomUUID } from 'node:crypto'
import { applyEvent } from '../../src/domain/payments/apply-event.ts'
import { LIVEMODE } from '../../src/domain/payments/processors.ts'
import type { ProcessorEvent } from '../../src/domain/payments/stripe-events.ts'
import { NO_METADATA } from '../../src/domain/review/page.ts'
import type { ProcessorName } from '../../src/platform/config/outside-services.ts'
import type { Store } from '../../src/platform/db/store.ts'
import type { EventKind } from '../../src/platform/db/tables/payments.ts'
import { emptyBoards } from './empty-boards.ts'
import { NOON } from './service.ts'

export interface OpenedCheckout {
  checkoutId: string
  sessionId: string
  host: string
  amountCents?: number
}

/** A checkout that is waiting to be paid, as `/promote` leaves it, of a destination that is not listed yet. */
export async function openTestCheckout(
  store: Store,
  host: string,
  processor: ProcessorName = 'stripe',
  category = 'Games',
  amountCents = 2500,
): Promise<OpenedCheckout> {
  const checkoutId = randomUUID()
  const sessionId = `cs_${checkoutId}`
  const page = { ...NO_METADATA, title: host, language: 'en' }
  await store.transact(trx =>
    trx
      .insertInto('checkout')
      .values({
        id: checkoutId,
        processor,
        sessionId,
        destinationKey: `2:${host}`,
        url: `https://${host}/`,
        hostname: host,
        category,
        board: 'all',
        targetBid: Math.max(25, Math.ceil(amountCents / 100)),
        amountCents,
        page: JSON.stringify(page),
        provedBy: 'dns_txt',
        rulesVersion: '2026-09-06',
        createdAt: NOON,
        supersededAt: null,
      })
      .execute(),
  )
  return { checkoutId, sessionId, host, amountCents }
}

/** Pays for a destination, as its owner would, and lists it where it is not listed. In cents, at a processor's time. */
export async function payFor(
  store: Store,
  host: string,
  paymentId: string,
  {
    amountCents,
    at = NOON,
    heardAt = at,
    category,
  }: { amountCents: number; at?: number; heardAt?: number; category?: string },
): Promise<void> {
  const checkout = await openTestCheckout(store, host, 'stripe', category, amountCents)
  await applyEvent(store, eventOf('paid', paymentId, { checkout, occurredAt: at, amountCents }), heardAt)
}

/** One event about a payment. `about` gives what differs from a plain event of all that was ordered, or of 25 dollars. */
export const eventOf = (
  kind: EventKind,
  paymentId: string,
  about: Partial<ProcessorEvent> & { checkout?: OpenedCheckout } = {},
): ProcessorEvent => {
  const { checkout, ...rest } = about
  return {
    processor: 'stripe',
    eventId: `evt_${randomUUID()}`,
    type: `test.${kind}`,
    kind,
    livemode: LIVEMODE[rest.processor ?? 'stripe'],
    occurredAt: NOON,
    paymentId,
    sessionId: checkout?.sessionId ?? null,
    checkoutId: checkout?.checkoutId ?? null,
    amountCents: checkout?.amountCents ?? 2500,
    currency: 'usd',
    refundId: kind.startsWith('refund_') ? 're_1' : null,
    disputeId: kind.startsWith('dispute') ? 'dp_1' : null,
    ...rest,
  }
}

/** Everything that follows from the events, to compare two ways of getting there. */
export async function ledgerOf({ db }: Store) {
  return {
    payments: await db.selectFrom('payment').selectAll().orderBy('paymentId').execute(),
    // Without the listing, which has another number each time it is made.
    totals: await db
      .selectFrom('board_total')
      .select(['board', 'destinationKey', 'totalCents', 'reachedAt', 'shown'])
      .orderBy('board')
      .orderBy('destinationKey')
      .execute(),
    counts: await db
      .selectFrom('board_count')
      .selectAll()
      .where('destinations', '<>', 0)
      .orderBy('board')
      .orderBy('level')
      .orderBy('amount')
      .orderBy('time')
      .execute(),
    // Shown only because they paid. Others may have been listed on the way, and stay.
    withoutEnd: await db
      .selectFrom('listing')
      .select('destinationKey')
      .where('expiresAt', 'is', null)
      .orderBy('destinationKey')
      .execute(),
  }
}

/** Forgets all payments and listings, and keeps the checkouts. */
export async function clearLedger(store: Store): Promise<void> {
  await store.transact(async trx => {
    await emptyBoards(trx)
    for (const table of [
      'processor_event',
      'payment',
      'place_taken',
      'decision',
      'finding',
      'claim',
      'picture',
      'listing',
    ] as const) {
      await trx.deleteFrom(table).execute()
    }
  })
}
