import { reconcile } from '../../domain/payments/reconcile.ts'
import { recordFromStripe } from '../../domain/payments/record-from-stripe.ts'
import { countUnplaced, settlePayment, unplacedPayments } from '../../domain/payments/unplaced.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import {
  asJson,
  type Command,
  type Given,
  needWord,
  printItems,
  printResult,
  readLimit,
  readName,
  readReason,
  UsageError,
  withStore,
} from './command.ts'

export const payments: Command = {
  name: 'payments',
  usage: '--unplaced',
  does: 'list unmatched payments, and why they fit no order',
  options: ['unplaced', 'limit'],
  async run(given) {
    if (!given.unplaced) throw new UsageError('payments needs --unplaced')
    const count = readLimit(given)
    await withStore(store => showUnplaced(store, count, given))
  },
}

export const settlePaymentCommand: Command = {
  name: 'settle-payment',
  usage: 'PAYMENT_ID --reason TEXT',
  does: 'close an unmatched payment, and record what you did at the processor',
  words: 1,
  options: ['reason', 'as'],
  async run(given, word) {
    const id = needWord('settle-payment', 'the id of a payment that "payments --unplaced" shows', word)
    const reason = readReason('settle-payment', given)
    const name = readName(given)
    await withStore(store => settleOne(store, id, reason, name, asJson(given)))
  },
}

export const reconcileCommand: Command = {
  name: 'reconcile',
  usage: '[--from-stripe]',
  does: 'check that boards and payments follow from the recorded events; --from-stripe: first record those of the last 30 days that are missing',
  options: ['from-stripe'],
  run: given =>
    withStore(async (store, config) => {
      if (given['from-stripe']) await recordMissing(store, config, given)
      await proveBoards(store, asJson(given))
    }),
}

async function showUnplaced(store: Store, count: number, given: Given): Promise<void> {
  const payments = await unplacedPayments(store, count)
  printItems(payments, given, {
    none: 'There are no unmatched payments.',
    print: ({ lastAt, processor, paymentId, amounts, type, why }) =>
      console.log(`${utcMinute(lastAt)}  ${processor}  ${paymentId}  ${amounts}  ${type}\n    ${why}`),
  })
  const more = (await countUnplaced(store)) - payments.length
  if (!asJson(given) && more > 0) console.log(`\n${more} more: --limit shows them.`)
}

/** Closes an unmatched payment. @throws Error if there is none with this id */
async function settleOne(
  store: Store,
  paymentId: string,
  settlement: string,
  by: string,
  asJson: boolean,
): Promise<void> {
  const settled = await settlePayment(store, paymentId, settlement, by, Date.now())
  if (!settled) {
    throw new Error(`there is no unmatched payment ${paymentId}; "payments --unplaced" lists them`)
  }
  if (asJson) return void console.log(JSON.stringify(settled))
  console.log(
    settled.changed
      ? `Payment ${paymentId} is settled. No money was moved.`
      : `Payment ${paymentId} was already settled by ${settled.settledBy}: ${settled.settlement}`,
  )
}

/** Records the events that Stripe has and the ledger lacks, as after a failover that lost some. */
async function recordMissing(store: Store, { stripe }: Config, given: Given): Promise<void> {
  if (!stripe) throw new Error('reconcile --from-stripe needs PAYMENTS=stripe: the sandbox resends events on its pages')
  const { listed, recorded } = await recordFromStripe(store, stripe, Date.now)
  const unplaced = await countUnplaced(store)
  const unmatched = unplaced > 0 ? `\nUnmatched payments: ${unplaced}. "payments --unplaced" lists them.` : ''
  const text = `Recorded ${recorded} of ${listed} events that Stripe lists. The others were recorded before.${unmatched}`
  printResult(given, { listed, recorded, unplaced }, text)
}

/** Prints every difference. The exit code is 1 if there is one. */
async function proveBoards(store: Store, asJson: boolean): Promise<void> {
  const { differences, payments, totals } = await reconcile(store, Date.now())
  if (differences.length > 0) process.exitCode = 1
  if (asJson) return void console.log(JSON.stringify({ differences, payments, totals }))
  for (const { what, detail } of differences) console.log(`${what}: ${detail}`)
  if (differences.length > 0) {
    console.log(
      `\nDifferences: ${differences.length}, in ${payments} payments and ${totals} board totals. Nothing was changed. ` +
        'Please report this with the lines above: boards must follow from the events.',
    )
    return
  }
  console.log(`No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`)
}
