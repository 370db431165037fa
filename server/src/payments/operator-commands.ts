import { type Selectable, sql } from 'kysely'
import type { PaymentTable, UnplacedReason } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { reconcile } from './reconcile.ts'

/** What an operator can do about a payment that is credited to nobody. */
const REASONS: Record<UnplacedReason, string> = {
  unknown_checkout: 'paid for no checkout of this service: find it at the processor, and refund it there',
  wrong_currency: 'paid in another currency than usd: refund it at the processor',
  no_amount: 'the processor names no amount: look it up there',
  not_paid_yet:
    'refunded or disputed, and no event says it was paid: have the processor send that event again',
  wrong_mode:
    'test money where STRIPE_SECRET_KEY is live, or the other way round: see that the webhook endpoint and the key are of one mode',
  unreadable_event: 'the event is not what its type promises: look it up at the processor',
}

/** Prints the payments whose money counts for nobody and why: first those that somebody paid, then by time, newest first. */
export async function showUnplaced(store: Store, count: number): Promise<void> {
  const unplaced = store.db
    .selectFrom('payment')
    .where('unplaced', 'is not', null)
    // What the operator gave back in full is settled.
    .where(where =>
      where.or([where('paidCents', '=', 0), where('refundedCents', '<', where.ref('paidCents'))]),
    )
  const payments = await unplaced
    .innerJoin('processor_event', join =>
      join
        .onRef('processor_event.processor', '=', 'payment.processor')
        .onRef('processor_event.paymentId', '=', 'payment.paymentId'),
    )
    .selectAll('payment')
    .select(eb => [
      eb.fn.max('occurredAt').as('lastAt'),
      eb.fn.max('currency').as('currency'),
      eb.fn.max('type').as('type'),
    ])
    .groupBy(['payment.processor', 'payment.paymentId'])
    .orderBy(sql`case when "paidCents" > 0 then 0 else 1 end`)
    .orderBy('lastAt', 'desc')
    .limit(count)
    .execute()
  if (payments.length === 0) return void console.log('Every payment is credited.')
  for (const payment of payments) {
    const { processor, paymentId, unplaced, lastAt, type } = payment
    const why = unplaced === null ? '' : `${unplaced}: ${REASONS[unplaced]}`
    const at = utcMinute(lastAt)
    console.log(`${at}  ${processor}  ${paymentId}  ${amountsText(payment)}  ${type}\n    ${why}`)
  }
  const { all } = await unplaced
    .select(eb => eb.fn.countAll<number | string>().as('all'))
    .executeTakeFirstOrThrow()
  const more = Number(all) - payments.length
  if (more > 0) console.log(`\n${more} more: --limit shows them.`)
}

type Amounts = Pick<Selectable<PaymentTable>, 'paidCents' | 'refundedCents' | 'disputedCents'>

/** Other currencies in their smallest unit: not all of them have hundredths. */
function amountsText({
  paidCents,
  refundedCents,
  disputedCents,
  currency,
}: Amounts & { currency: string | null }) {
  const amount = (minor: number) =>
    currency === 'usd' ? `${(minor / 100).toFixed(2)} usd` : `${minor} smallest units of ${currency ?? '?'}`
  const parts = [
    ...(paidCents > 0 ? [`paid ${amount(paidCents)}`] : []),
    ...(refundedCents > 0 ? [`refunded ${amount(refundedCents)}`] : []),
    ...(disputedCents > 0 ? [`disputed ${amount(disputedCents)}`] : []),
  ]
  return parts.join(', ') || 'no amount'
}

/** Prints what does not add up, and fails if anything does not. */
export async function proveBoards(store: Store): Promise<void> {
  const { differences, payments, totals } = await reconcile(store, Date.now())
  for (const { what, detail } of differences) console.log(`${what}: ${detail}`)
  if (differences.length > 0) {
    process.exitCode = 1
    console.log(
      `\nDifferences: ${differences.length}, in ${payments} payments and ${totals} board totals. Nothing was changed. ` +
        'Please report this with the lines above: the boards must follow from the events.',
    )
    return
  }
  console.log(
    `No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`,
  )
}
