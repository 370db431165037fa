import { type Selectable, sql } from 'kysely'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { type EventKind, isUnplaced, type UnplacedReason } from '../../platform/db/tables/payments.ts'
import { dollars } from '../../platform/lib/text.ts'
import { operatorNamed, recordDecision } from '../decisions/record.ts'

/** What is wrong with an unmatched payment, and what an operator can do. */
const REASONS: Record<UnplacedReason, string> = {
  unknown_checkout: 'It matches no order. Find it at the processor, and refund it there.',
  wrong_currency: 'It was not paid in US dollars. Refund it at the processor.',
  no_amount: 'The processor gave no amount. Look it up there.',
  not_paid_yet:
    'It was refunded or disputed, but no event says that it was paid. Have the processor resend that event.',
  wrong_mode:
    'It is test money with a live STRIPE_SECRET_KEY, or the reverse. Use the same mode for the webhook endpoint and the key.',
  unreadable_event: 'The event does not match its type. Look it up at the processor.',
}

/** Returns what is wrong with an unmatched payment, without what to do. */
export const unplacedText = (reason: string): string => REASONS[reason as UnplacedReason]?.split('.')[0] ?? reason

/** Processors refund no disputed payment. The dispute may be open or lost. */
const REASONS_IF_DISPUTED: Partial<typeof REASONS> = {
  unknown_checkout:
    'It matches no order, and was disputed. Find it at the processor, and answer the dispute there if it is open.',
  wrong_currency: 'It was not paid in US dollars, and was disputed. Answer the dispute at the processor if it is open.',
}

/** An unmatched payment: it is credited to no listing. */
export interface UnplacedPayment {
  processor: ProcessorName
  paymentId: string
  /** Time of the newest event. */
  lastAt: number
  /** What was paid, refunded and disputed, as text. */
  amounts: string
  /** How many events about it arrived. */
  events: number
  type: string
  /** Why it is unmatched, and what to do. `why` is the same after the code of the reason. */
  advice: string
  why: string
  /** The listing that its order was for, if it names one. */
  slug: string | null
}

/** Returns the unmatched payments, and why: paid ones first, then newest first. */
export async function unplacedPayments(store: Store, count: number): Promise<UnplacedPayment[]> {
  const rows = await unplaced(store)
    .innerJoin('processor_event', join =>
      join
        .onRef('processor_event.processor', '=', 'payment.processor')
        .onRef('processor_event.paymentId', '=', 'payment.paymentId'),
    )
    .leftJoin('checkout', 'checkout.id', 'processor_event.checkoutId')
    .leftJoin('listing', 'listing.destinationKey', 'checkout.destinationKey')
    .selectAll('payment')
    .select(eb => [
      eb.fn.max('occurredAt').as('lastAt'),
      eb.fn.max('currency').filterWhere('kind', '=', 'paid').as('paidIn'),
      eb.fn.max('currency').filterWhere('kind', 'in', REFUND_KINDS).as('refundedIn'),
      eb.fn.max('currency').filterWhere('kind', 'in', DISPUTE_KINDS).as('disputedIn'),
      eb.fn.countAll<number>().as('events'),
      eb.fn.max('type').as('type'),
      eb.fn.max('listing.slug').as('slug'),
    ])
    .groupBy(['payment.processor', 'payment.paymentId'])
    .orderBy(sql`case when "paidCents" > 0 then 0 else 1 end`)
    .orderBy('lastAt', 'desc')
    .limit(count)
    .execute()
  return rows.map(payment => {
    const { processor, paymentId, unplaced: reason, lastAt, events, type, slug } = payment
    const words = payment.disputedCents > 0 ? { ...REASONS, ...REASONS_IF_DISPUTED } : REASONS
    const advice = reason === null ? '' : words[reason]
    const why = reason === null ? '' : `${reason}: ${advice}`
    return { processor, paymentId, lastAt, amounts: amountsText(payment), events, type, advice, why, slug }
  })
}

export async function countUnplaced(store: Store): Promise<number> {
  const { all } = await unplaced(store)
    .select(eb => eb.fn.countAll<number>().as('all'))
    .executeTakeFirstOrThrow()
  return all
}

const unplaced = ({ db }: Store) => db.selectFrom('payment').where(isUnplaced)

const REFUND_KINDS: EventKind[] = ['refunded', 'refund_made', 'refund_failed']
const DISPUTE_KINDS: EventKind[] = ['disputed', 'dispute_won', 'dispute_lost']

type Amounts = Pick<Selectable<Database['payment']>, 'paidCents' | 'refundedCents' | 'disputedCents'> &
  Record<'paidIn' | 'refundedIn' | 'disputedIn', string | null>

/**
 * What was taken from a payment is in the currency of the payment, if that is known. Currencies other than dollars are
 * shown in their smallest unit, because not all have hundredths.
 */
function amountsText({ paidCents, refundedCents, disputedCents, paidIn, refundedIn, disputedIn }: Amounts) {
  const parts = [
    ['paid', paidCents, paidIn],
    ['refunded', refundedCents, paidIn ?? refundedIn],
    ['disputed', disputedCents, paidIn ?? disputedIn],
  ] as const
  const shown = parts.filter(([, minor]) => minor > 0)
  return shown.map(([what, minor, currency]) => `${what} ${amountText(minor, currency)}`).join(', ') || 'no amount'
}

const amountText = (minor: number, currency: string | null) =>
  currency === 'usd'
    ? dollars(minor)
    : `${minor.toLocaleString('en')} in the smallest unit of ${currency?.toUpperCase() ?? 'an unknown currency'}`

/** The processor reported more about a payment than the operator who settles it has seen. */
export class PaymentChanged extends Error {}

/** The result of settling a payment. `settlement` is the stored text: the first one, if it was settled before. */
export type SettledPayment = Omit<Database['settled_payment'], 'settledAt' | 'events'> & { changed: boolean }

/**
 * Records what an operator did at the processor about an unmatched payment. It moves no money, and the payment stays
 * unmatched. If two settle it at once, one of them does.
 *
 * @param by the operator's name
 * @param seenEvents how many events the operator has seen; by default, all of them
 * @returns undefined if there is no unmatched payment with this id
 * @throws PaymentChanged if there are more events
 */
export function settlePayment(
  store: Store,
  paymentId: string,
  settlement: string,
  by: string,
  now: number,
  seenEvents = Number.POSITIVE_INFINITY,
): Promise<SettledPayment | undefined> {
  return store.transact(async trx => {
    const payment = await trx
      .selectFrom('payment')
      .select(['processor', 'paymentId', 'unplaced'])
      .where('paymentId', '=', paymentId)
      .where('unplaced', 'is not', null)
      .executeTakeFirst()
    if (!payment?.unplaced) return undefined
    const { processor, unplaced } = payment
    const { events } = await trx
      .selectFrom('processor_event')
      .select(eb => eb.fn.countAll<number>().as('events'))
      .where('processor', '=', processor)
      .where('paymentId', '=', paymentId)
      .executeTakeFirstOrThrow()
    if (events > seenEvents) throw new PaymentChanged(`the processor reported more about ${paymentId}`)
    const values = { settledAt: now, settledBy: by, settlement, events }
    const put = await trx
      .insertInto('settled_payment')
      .values({ processor, paymentId, ...values })
      .onConflict(conflict =>
        conflict
          .columns(['processor', 'paymentId'])
          .doUpdateSet(values)
          .where('settled_payment.events', '<', values.events),
      )
      .returning('settledAt')
      .executeTakeFirst()
    const changed = put !== undefined
    if (changed) {
      await recordDecision(trx, {
        kind: 'settle_payment',
        ground: 'rules/payments',
        reason: unplaced,
        actor: operatorNamed(by),
        facts: { explanation: settlement, processor, paymentId },
        at: now,
      })
    }
    const stored = await trx
      .selectFrom('settled_payment')
      .select(['settlement', 'settledBy'])
      .where('processor', '=', processor)
      .where('paymentId', '=', paymentId)
      .executeTakeFirstOrThrow()
    return { processor, paymentId, ...stored, changed }
  })
}
