import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import type { ProcessorName } from '../../config/outside-services.ts'
import type { BoardChangeTable, BoardCountTable, BoardMarkTable, BoardTotalTable, PlaceTakenTable } from './boards.ts'
import { FOREVER, forDays, type RetentionRules, SUPPORT_DAYS } from './retention.ts'

/** Orders, money, and the boards that follow from it. */
export interface LedgerTables {
  checkout: CheckoutTable
  processor_event: ProcessorEventTable
  payment: PaymentTable
  settled_payment: SettledPaymentTable
  board_total: BoardTotalTable
  board_count: BoardCountTable
  board_change: BoardChangeTable
  board_mark: BoardMarkTable
  place_taken: PlaceTakenTable
}

/** One order of a person in a browser: what was chosen, shown and agreed to before going to the processor. */
export interface CheckoutTable {
  /** Random UUID; given to the processor as `client_reference_id`. */
  id: string
  processor: ProcessorName
  /** The processor's session. Null until the processor answered: nobody can pay before. */
  sessionId: string | null
  destinationKey: string
  url: string
  hostname: string
  category: string
  board: Board
  /** Board total that was wanted, in whole US dollars. */
  targetBid: number
  /** What was asked for. What is credited is what the processor says was paid. */
  amountCents: number
  /** JSON of the reviewed page's metadata, to list the destination once paid; null where it was listed already. */
  page: string | null
  provedBy: 'private_link' | 'well_known' | 'meta_tag' | 'dns_txt'
  rulesVersion: string
  createdAt: number
  /** When a newer checkout for the destination took its place. */
  supersededAt: number | null
  /** When it was too old to be paid any more, and found to stay, since its processor had said something of it. */
  keptAt: number | null
}

/** What a verified event of a processor said. Append-only; holds nothing about the payer. */
export interface ProcessorEventTable {
  /** The one in force when it came. */
  processor: ProcessorName
  eventId: string
  /** The processor's own name for it, such as `checkout.session.completed`. */
  type: string
  kind: EventKind
  /** Whether the event says that it is about real money, 0 or 1. It counts only where its processor says the same. */
  livemode: number
  /** The processor's time. */
  occurredAt: number
  receivedAt: number
  /** The processor's payment. Where an event names none, the session or the event itself stands for it. */
  paymentId: string
  sessionId: string | null
  /** As the event says: may be anything. */
  checkoutId: string | null
  /** Paid, refunded, or disputed. */
  amountCents: number | null
  /** Lower case. */
  currency: string | null
  /** Null, too, where an event tells what was refunded in all so far. */
  refundId: string | null
  disputeId: string | null
  /** JSON of `PlaceTook[]`: the places that it took. Null where an older version recorded it. */
  took: string | null
}

/**
 * `pending`: ordered, and the money is still on its way. `refunded`: in all so far; the next two: one refund.
 * `unreadable`: signed, but not what its type promises.
 */
export type EventKind =
  | 'paid'
  | 'pending'
  | 'failed'
  | 'refunded'
  | 'refund_made'
  | 'refund_failed'
  | 'disputed'
  | 'dispute_won'
  | 'dispute_lost'
  | 'unreadable'

/** One payment of a processor, in absolute amounts: a function of its events, whatever their order. */
export interface PaymentTable {
  processor: ProcessorName
  paymentId: string
  /** Null, like the three below, where the payment belongs to no checkout of ours. */
  checkoutId: string | null
  destinationKey: string | null
  /** The processor's time; null until an event says that it was paid. */
  paidAt: number | null
  /** UTC day of `paidAt`. */
  day: string | null
  paidCents: number
  refundedCents: number
  disputedCents: number
  /** What counts on the boards: paid less refunded less disputed, never below zero, and zero while unplaced. */
  netCents: number
  /** The same when its UTC day ended: by what had happened at the processor until then. */
  closingCents: number
  /** Why it is not credited, for the operator to settle; null where it is. */
  unplaced: UnplacedReason | null
}

/** An unplaced payment that an operator has settled. It is open again once its processor tells more of it. */
interface SettledPaymentTable {
  processor: ProcessorName
  paymentId: string
  settledAt: number
  /** An operator's name. */
  settledBy: string
  /** What was done about it. */
  settlement: string
  /** How many events of it there were. */
  events: number
}

export type UnplacedReason =
  | 'unknown_checkout'
  | 'wrong_currency'
  | 'no_amount'
  | 'not_paid_yet'
  | 'unreadable_event'
  | 'wrong_mode'

/**
 * Whether a row of `payment` waits for an operator. One that was refunded in full is settled, and so is one that an operator
 * has settled, until its processor tells more of it.
 */
export const isUnplaced = sql<boolean>`(
  payment.unplaced is not null and (payment."paidCents" = 0 or payment."refundedCents" < payment."paidCents")
  and not exists (
    select 1 from settled_payment as settled
    where settled.processor = payment.processor and settled."paymentId" = payment."paymentId"
      and settled.events >= (
        select count(*) from processor_event as heard
        where heard.processor = payment.processor and heard."paymentId" = payment."paymentId"
      )
  )
)`

export const LEDGER: RetentionRules<LedgerTables> = {
  checkout: [
    {
      what: 'An order that its payment processor has reported on',
      kept: FOREVER,
      why: 'It says what a payment was for.',
    },
    {
      what: 'An order that nobody paid',
      kept: forDays(SUPPORT_DAYS, 'after it was made'),
      why: 'Its payment page closed within hours, but a processor may tell of a payment weeks later.',
      end: { days: SUPPORT_DAYS, step: 'unpaid-orders' },
    },
  ],
  processor_event: [
    {
      what: 'What the payment processor reported about a payment',
      kept: FOREVER,
      why: 'It proves the boards.',
    },
  ],
  payment: [{ what: 'A payment', kept: FOREVER, why: 'It counts on the boards, and can be refunded or disputed.' }],
  settled_payment: [
    {
      what: 'What the operator did about a payment credited to nobody',
      kept: FOREVER,
      why: 'It is not shown as open again, unless the processor tells more of it.',
    },
  ],
  board_total: [
    {
      what: 'A total on a board, even of a past day',
      kept: FOREVER,
      why: 'Every past day has a page with its winners.',
    },
  ],
  board_count: [
    {
      what: 'Counts of destinations, which give the ranks',
      kept: 'until they reach zero',
      why: 'The totals determine them.',
    },
  ],
  board_change: [
    {
      what: 'A change of those counts',
      kept: 'until 1,000 newer ones follow',
      end: { days: 0, step: 'count-changes' },
      why: 'Each instance follows them with the counts that it keeps in memory.',
    },
  ],
  board_mark: [
    {
      what: 'The top places of a board in some hour',
      kept: forDays(7, 'at most'),
      why: 'Boards show who has risen or fallen since. Usually the next mark deletes them.',
      end: {
        days: 7,
        key: ['board', 'at', 'destinationKey'],
        where: before => sql`at < ${before}`,
        order: sql`at`,
      },
    },
  ],
  place_taken: [
    {
      what: 'One of the first ten places of a board, when somebody took it',
      kept: forDays(7, 'after it was taken'),
      why: 'Pages tell what moved on the boards.',
      end: {
        days: 7,
        key: ['board', 'at', 'destinationKey'],
        where: before => sql`at < ${before}`,
        order: sql`at`,
      },
    },
  ],
}
