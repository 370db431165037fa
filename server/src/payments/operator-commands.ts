import { type Selectable, sql } from 'kysely'
import type { PaymentTable, UnplacedReason } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { reconcile } from './reconcile.ts'

/** What an operator can do about a payment credited to nobody. */
const REASONS: Record<UnplacedReason, string> = {
  unknown_checkout: 'matches no checkout of this service: find it at the processor and refund it there',
  wrong_currency: 'not paid in usd: refund it at the processor',
  no_amount: 'the processor gave no amount: look it up there',
  not_paid_yet: 'refunded or disputed, but no event says it was paid: have the processor resend that event',
  wrong_mode:
    'test money with a live STRIPE_SECRET_KEY, or the reverse: use the same mode for the webhook endpoint and the key',
  unreadable_event: 'the event does not match its type: look it up at the processor',
}

/** Prints the payments credited to nobody, and why: paid ones first, then newest first. */
export async function showUnplaced(store: Store, count: number): Promise<void> {
  const unplaced = store.db
    .selectFrom('payment')
    .where('unplaced', 'is not', null)
    // A payment refunded in full is settled.
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

/** Other currencies are shown in their smallest unit, since not all have hundredths. */
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
