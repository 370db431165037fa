import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import type { ProcessorName } from '../../config/outside-services.ts'
import { FOREVER, forDays, SUPPORT_DAYS, type TablePolicies } from './retention.ts'

/** Orders, and the money that verified events report. */
export interface PaymentTables {
  /** One order of a person in a browser: what was chosen, shown and agreed to before going to the processor. */
  checkout: {
    /** Random UUID; given to the processor as `client_reference_id`. */
    id: string
    processor: ProcessorName
    /** The processor's session. Null until the processor has replied: before that, no one can pay. */
    sessionId: string | null
    destinationKey: string
    url: string
    hostname: string
    category: string
    board: Board
    /** The board total that the order aims for, in whole US dollars. */
    targetBid: number
    /** The amount that was requested. The amount that is credited is what the processor reports as paid. */
    amountCents: number
    /** JSON of the reviewed page's metadata, to list the destination once paid; null if it was listed already. */
    page: string | null
    provedBy: 'private_link' | 'well_known' | 'meta_tag' | 'dns_txt'
    rulesVersion: string
    createdAt: number
    /** When a newer checkout for the destination replaced it. */
    supersededAt: number | null
    /**
     * Set once the order is too old to be paid, if its processor has sent an event about it: it is kept permanently.
     */
    keptAt: number | null
  }
  /** A verified event of a processor. Append-only. No column has anything about the payer. */
  processor_event: {
    /** The processor that was configured when the event arrived. */
    processor: ProcessorName
    eventId: string
    /** The processor's own name for it, such as `checkout.session.completed`. */
    type: string
    kind: EventKind
    /** Whether the event is about real money, 0 or 1. It counts only if this fits its processor (`LIVEMODE`). */
    livemode: number
    /** The processor's time. */
    occurredAt: number
    receivedAt: number
    /** The processor's payment. If an event names none, the id of its session or of the event itself. */
    paymentId: string
    sessionId: string | null
    /** Copied from the event: it can be anything. */
    checkoutId: string | null
    /** The amount that was paid, refunded or disputed. */
    amountCents: number | null
    /** Lower case. */
    currency: string | null
    /** Null also if the event has the total of all refunds so far. */
    refundId: string | null
    disputeId: string | null
    /** JSON of `RecordedPlace[]`: the places that it took. Null if an older version recorded the event. */
    took: string | null
  }
  /** One payment of a processor, in absolute amounts: computed from its events, in whichever order they arrived. */
  payment: {
    processor: ProcessorName
    paymentId: string
    /** Null, like `destinationKey`, if the payment is unmatched. */
    checkoutId: string | null
    destinationKey: string | null
    /** The processor's time; null before an event reports it as paid. */
    paidAt: number | null
    /** UTC day of `paidAt`. */
    day: string | null
    paidCents: number
    refundedCents: number
    disputedCents: number
    /** What counts on the boards: paid less refunded less disputed, never below zero, and zero if unmatched. */
    netCents: number
    /** `netCents` at the end of its UTC day, from what had happened at the processor by then. */
    closingCents: number
    /** Why the payment is unmatched, for the operator to settle; null if it is credited. */
    unplaced: UnplacedReason | null
  }
  /** An unmatched payment that an operator has settled. It is open again once its processor sends another event. */
  settled_payment: {
    processor: ProcessorName
    paymentId: string
    settledAt: number
    /** An operator's name. */
    settledBy: string
    /** What was done about it. */
    settlement: string
    /** How many events the payment had when it was settled. */
    events: number
  }
}

/**
 * `pending`: ordered, and the money has not arrived yet. `refunded`: the total of all refunds so far. `refund_made` and
 * `refund_failed`: one refund. `unreadable`: signed, but without what its type promises.
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

export type UnplacedReason =
  | 'unknown_checkout'
  | 'wrong_currency'
  | 'no_amount'
  | 'not_paid_yet'
  | 'unreadable_event'
  | 'wrong_mode'

/**
 * Whether a row of `payment` is an unmatched payment that an operator must settle. One that was refunded in full is
 * settled. So is one that an operator has settled, until its processor sends more events about it.
 */
export const isUnplaced = sql<boolean>`(
  payment.unplaced is not null and (payment."paidCents" = 0 or payment."refundedCents" < payment."paidCents")
  and not exists (
    select 1 from settled_payment as settled
    where settled.processor = payment.processor and settled."paymentId" = payment."paymentId"
      and settled.events >= (
        select count(*) from processor_event as event
        where event.processor = payment.processor and event."paymentId" = payment."paymentId"
      )
  )
)`

export const paymentPolicies: TablePolicies<PaymentTables> = {
  checkout: {
    isExported: true,
    retention: [
      {
        what: 'An order that its payment processor has reported on',
        kept: FOREVER,
        why: 'It says what a payment was for.',
      },
      {
        what: 'An order that was never paid',
        kept: forDays(SUPPORT_DAYS, 'after it was placed'),
        why: 'Its payment page closed within hours, but a processor may report a payment weeks later.',
        end: { days: SUPPORT_DAYS, step: 'unpaid-orders' },
      },
    ],
  },
  processor_event: {
    isExported: true,
    what: 'What the payment processor reported about a payment',
    kept: FOREVER,
    why: 'It proves the boards.',
  },
  payment: {
    isExported: true,
    what: 'A payment',
    kept: FOREVER,
    why: 'It counts on the boards, and can be refunded or disputed.',
  },
  settled_payment: {
    isExported: true,
    what: 'What the operator did about an unmatched payment',
    kept: FOREVER,
    why: 'Without it, the payment would be shown as open again.',
  },
}
