import { randomUUID } from 'node:crypto'
import { CONTRACT_VERSION } from '@placard/contract'
import { applyEvent } from '../server/dist/domain/payments/apply-event.js'
import type { ProcessorEvent } from '../server/dist/domain/payments/stripe-events.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import type { CheckoutTable } from '../server/dist/platform/db/tables/payments.js'
import { heading, inTurns, noise, ratios, report, type Wanted } from './compare.ts'
import { type FilledBoard, keyOf, randomNumbers } from './fill-board.ts'
import { bareInserts } from './inserts.ts'
import { median } from './load.ts'

const EVENTS = 320
const AT_ONCE = 32

/** The cost of applying a payment: the event, the payment, two boards with their counts, and the listing's end. */
export async function eventFigures({
  small,
  large,
}: {
  small: FilledBoard
  large: FilledBoard
}): Promise<void> {
  heading('Applying the event of a new payment as a multiple of one bare insert, synchronous=FULL')
  await applying(small, 1, { atMost: 3 })
  await applying(small, AT_ONCE, undefined)
  await applying(large, 1, undefined)
}

async function applying(board: FilledBoard, atOnce: number, wanted: Wanted) {
  const store = await openStore({ databaseUrl: undefined, dataDir: board.dataDir })
  const random = randomNumbers()
  const apply = () => applyingMicros(store, board, random, atOnce)
  await apply()
  const [ours, bare] = await inTurns(apply, () => bareInserts(board.dataDir, EVENTS))
  await store.close()
  const boardInWords = `on a board of ${board.destinations.toLocaleString('en')}`
  report(
    `${atOnce === 1 ? 'one after the other' : `${atOnce} at once`}, ${boardInWords}`,
    ratios(ours, bare),
    wanted,
  )
  console.log(`    ${median(ours).toFixed(0)} µs  against  ${median(bare).toFixed(0)} µs; ${noise(bare)}`)
}

/** Microseconds for the event of a new payment. */
export async function applyingMicros(
  store: Store,
  board: FilledBoard,
  random: () => number,
  atOnce = 1,
): Promise<number> {
  const events = await newPayments(store, board, random)
  const startedAt = performance.now()
  for (let start = 0; start < EVENTS; start += atOnce) {
    const some = events.slice(start, start + atOnce)
    await Promise.all(some.map(event => applyEvent(store, event, Date.now())))
  }
  return ((performance.now() - startedAt) * 1000) / EVENTS
}

/** Creates checkouts of listed destinations, with a paid event for each. */
async function newPayments(
  store: Store,
  board: FilledBoard,
  random: () => number,
): Promise<ProcessorEvent[]> {
  const checkouts = Array.from({ length: EVENTS }, () =>
    checkoutFor(keyOf(Math.floor(random() * board.destinations)), Math.floor(5 * 1000 ** random())),
  )
  await store.transact(trx => trx.insertInto('checkout').values(checkouts).execute())
  return checkouts.map(checkout => eventFor(checkout, Date.now()))
}

/** Pays for a destination at several times, one after another. */
export async function payAt(store: Store, destinationKey: string, moments: readonly number[]): Promise<void> {
  for (const paidAt of moments) {
    const checkout = checkoutFor(destinationKey, 5)
    await store.transact(trx => trx.insertInto('checkout').values(checkout).execute())
    await applyEvent(store, eventFor(checkout, paidAt), Date.now())
  }
}

function checkoutFor(destinationKey: string, dollars: number): CheckoutTable {
  const hostname = destinationKey.slice(2)
  return {
    id: randomUUID(),
    processor: 'stripe',
    sessionId: `cs_${randomUUID()}`,
    destinationKey,
    url: `https://${hostname}/`,
    hostname,
    category: 'Games',
    board: 'today',
    targetBid: dollars,
    amountCents: dollars * 100,
    page: null,
    provedBy: 'private_link',
    rulesVersion: CONTRACT_VERSION,
    createdAt: Date.now(),
    supersededAt: null,
    keptAt: null,
  }
}

const eventFor = (checkout: CheckoutTable, paidAt: number): ProcessorEvent => ({
  processor: checkout.processor,
  eventId: `evt_${randomUUID()}`,
  type: 'checkout.session.completed',
  kind: 'paid',
  livemode: 1,
  occurredAt: paidAt,
  paymentId: `pi_${randomUUID()}`,
  sessionId: checkout.sessionId,
  checkoutId: checkout.id,
  amountCents: checkout.amountCents,
  currency: 'usd',
  refundId: null,
  disputeId: null,
})
