import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { reconcile } from './reconcile.ts'
import { settlePayment } from './settle-payment.ts'
import { countUnplaced, unplacedPayments } from './unplaced.ts'

/** Prints the payments credited to nobody, and why; or one line of JSON for each. */
export async function showUnplaced(store: Store, count: number, asJson: boolean): Promise<void> {
  const payments = await unplacedPayments(store, count)
  if (asJson) {
    for (const payment of payments) console.log(JSON.stringify(payment))
    return
  }
  if (payments.length === 0) return void console.log('Every payment is credited.')
  for (const { lastAt, processor, paymentId, amounts, type, why } of payments) {
    console.log(`${utcMinute(lastAt)}  ${processor}  ${paymentId}  ${amounts}  ${type}\n    ${why}`)
  }
  const more = (await countUnplaced(store)) - payments.length
  if (more > 0) console.log(`\n${more} more: --limit shows them.`)
}

/** Closes a payment with what was done about it. @throws Error if there is none of this id that is credited to nobody */
export async function settleOne(
  store: Store,
  paymentId: string,
  settlement: string,
  by: string,
  asJson: boolean,
): Promise<void> {
  const settled = await settlePayment(store, paymentId, settlement, by, Date.now())
  if (!settled) {
    throw new Error(
      `no payment ${paymentId} is credited to nobody; "payments --unplaced" shows those that are`,
    )
  }
  if (asJson) return void console.log(JSON.stringify(settled))
  console.log(
    settled.changed
      ? `Payment ${paymentId} is settled. No money was moved.`
      : `Payment ${paymentId} was already settled by ${settled.settledBy}: ${settled.settlement}`,
  )
}

/** Prints every difference, and fails if there is one. */
export async function proveBoards(store: Store): Promise<void> {
  const { differences, payments, totals } = await reconcile(store, Date.now())
  for (const { what, detail } of differences) console.log(`${what}: ${detail}`)
  if (differences.length > 0) {
    process.exitCode = 1
    console.log(
      `\nDifferences: ${differences.length}, in ${payments} payments and ${totals} board totals. Nothing was changed. ` +
        'Please report this with the lines above: boards must follow from the events.',
    )
    return
  }
  console.log(
    `No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`,
  )
}
