import type { Board } from '@placard/contract'
import type { Generated } from 'kysely'

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

/** Each has money of its own kind: real, of Stripe's test mode, or the sandbox's. One board counts one kind alone. */
export type ProcessorName = 'stripe' | 'stripe_test' | 'sandbox'

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

/** Verified money of a destination on a board: derived from payments, kept so that rank is cheap. */
interface BoardTotalTable {
  /** `all`, or the UTC day of a `today` board. */
  board: string
  destinationKey: string
  totalCents: number
  /** When the total was reached: ties go to who was there first. */
  reachedAt: number
  /**
   * 0 while the listing is hidden: its money is remembered, but it has no place on the board. On a day that was over when
   * it was hidden it stays 1: whoever reads such a board leaves hidden listings out.
   */
  shown: Generated<number>
  /** The listing of the destination: a page of a board finds it faster by this than by the key. */
  listingId: number
  /** On `all`, that of the listing: what the boards of the categories are read by. Empty on the boards of days. */
  category: Generated<string>
}

/** How many destinations have a place below a node of the tree that rank is read from (`boards/rank.ts`). */
interface BoardCountTable {
  board: string
  level: number
  amount: number
  time: number
  destinations: number
}

/** One change of the counts by whole dollar, which other instances follow (`boards/dollar-counts.ts`). */
interface BoardChangeTable {
  /** From 1, without gaps. */
  version: number
  /** JSON: board, whole dollars, and by how many destinations. */
  moves: string
}

/** A place of a board as it was at a moment. */
interface BoardMarkTable {
  board: string
  at: number
  destinationKey: string
  rank: number
}

/** One of the first places of a board, as somebody took it by a payment. */
interface PlaceTakenTable {
  board: string
  /** When the payment was heard of. */
  at: number
  destinationKey: string
  rank: number
  /** What it had there by then: the place is told of while as much counts. */
  totalCents: number
}
