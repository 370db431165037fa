import { reconcile } from '../../domain/payments/reconcile.ts'
import { countUnplaced, settlePayment, unplacedPayments } from '../../domain/payments/unplaced.ts'
import { recordFromStripe } from '../../domain/payments/webhook.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { counted } from '../../platform/lib/text.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import {
  asJson,
  type Command,
  decisionCommand,
  needArgument,
  type OptionValues,
  printItems,
  printResult,
  readLimit,
  UsageError,
} from './command.ts'
import { withStore } from './with-store.ts'

export const payments: Command = {
  name: 'payments',
  usage: '--unplaced',
  does: 'list unmatched payments, and why they fit no order',
  options: ['unplaced', 'limit'],
  async run(values) {
    if (!values.unplaced) throw new UsageError('payments needs --unplaced')
    const count = readLimit(values)
    await withStore(async store => {
      const payments = await unplacedPayments(store, count)
      printItems(payments, values, {
        none: 'There are no unmatched payments.',
        print: ({ lastAt, processor, paymentId, amounts, type, why }) =>
          console.log(`${utcMinute(lastAt)}  ${processor}  ${paymentId}  ${amounts}  ${type}\n    ${why}`),
      })
      const more = (await countUnplaced(store)) - payments.length
      if (!asJson(values) && more > 0) console.log(`\n${more} more: --limit shows them.`)
    })
  },
}

export const settlePaymentCommand = decisionCommand({
  name: 'settle-payment',
  usage: 'PAYMENT_ID --reason TEXT',
  does: 'close an unmatched payment, and record what you did at the processor',
  subject: word => needArgument('settle-payment', 'the id of a payment that "payments --unplaced" shows', word),
  async act(store, { subject: id, reason, name, now }) {
    const settled = await settlePayment(store, id, reason, name, now)
    if (!settled) throw new Error(`there is no unmatched payment ${id}; "payments --unplaced" lists them`)
    const text = settled.changed
      ? `Payment ${id} is settled. No money was moved.`
      : `Payment ${id} was already settled by ${settled.settledBy}: ${settled.settlement}`
    return [settled, text]
  },
})

export const reconcileCommand: Command = {
  name: 'reconcile',
  usage: '[--from-stripe]',
  does: 'check that boards and payments follow from the recorded events; --from-stripe: first record missing events of the last 30 days',
  options: ['from-stripe'],
  run: values =>
    withStore(async (store, config) => {
      if (values['from-stripe']) await recordMissing(store, config, values)
      await proveBoards(store, values)
    }),
}

/** Records the events that Stripe has and the ledger lacks, as after a failover that lost some. */
async function recordMissing(store: Store, { stripe }: Config, values: OptionValues): Promise<void> {
  if (!stripe) throw new Error('reconcile --from-stripe needs PAYMENTS=stripe: the sandbox resends events on its pages')
  const { listed, recorded } = await recordFromStripe(store, stripe, Date.now)
  const unplaced = await countUnplaced(store)
  const unmatched = unplaced > 0 ? `\nUnmatched payments: ${unplaced}. "payments --unplaced" lists them.` : ''
  const text = `Recorded ${recorded} of ${counted(listed, 'event')} that Stripe lists. The others were recorded before.${unmatched}`
  printResult(values, { listed, recorded, unplaced }, text)
}

/** Prints every difference. The exit code is 1 if there is one. */
async function proveBoards(store: Store, values: OptionValues): Promise<void> {
  const { differences, payments, totals } = await reconcile(store, Date.now())
  if (differences.length > 0) process.exitCode = 1
  const text =
    differences.length > 0
      ? `${differences.map(({ what, detail }) => `${what}: ${detail}`).join('\n')}

Differences: ${differences.length}, in ${counted(payments, 'payment')} and ${counted(totals, 'board total')}. Nothing was changed. Please report this with the lines above: boards must follow from the events.`
      : `No difference: ${counted(payments, 'payment')} and ${counted(totals, 'board total')} follow from the recorded events.`
  printResult(values, { differences, payments, totals }, text)
}
