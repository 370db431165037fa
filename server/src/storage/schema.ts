import type { Board, ErrorCode, ReceiptStatus, ReviewReason } from '@placard/contract'
import type { Generated } from 'kysely'

/**
 * All times are Unix milliseconds, all hashes and digests lower-case hex, all days UTC as YYYY-MM-DD. How long the rows of
 * each table are kept: `retention/retention.ts`.
 */
export interface Database {
  attempt: AttemptTable
  listing: ListingTable
  search_word: SearchWordTable
  claim: ClaimTable
  checkout: CheckoutTable
  processor_event: ProcessorEventTable
  payment: PaymentTable
  board_total: BoardTotalTable
  board_count: BoardCountTable
  sandbox_session: SandboxSessionTable
  sandbox_event: SandboxEventTable
  audit_event: AuditEventTable
  picture: PictureTable
  listing_day: ListingDayTable
  report: ReportTable
  board_mark: BoardMarkTable
  service_key: ServiceKeyTable
  renewed_link: RenewedLinkTable
  write_probe: WriteProbeTable
}

/** One submission, from its first byte of work on. Quotas are counts over these rows. */
export interface AttemptTable {
  /** UUIDv7, given out as `requestId`. */
  requestId: string
  /** As sent, in lower case; unique. */
  idempotencyKey: string
  /** SHA-256 of the 32 bytes of the submission secret. */
  secretHash: string
  /** SHA-256 of the canonical JSON of the whole body. */
  fingerprint: string
  hostname: string
  /** Keyed hash of the client's address prefix: counts without storing addresses. Empty once its day is over. */
  clientHash: string
  day: string
  /**
   * Its place among the attempts of its day: of everybody, of its client, for its hostname. The last is the count. That of
   * its client is the one of everybody once the client is forgotten.
   */
  nthOfDay: number
  nthOfClient: number
  nthOfHostname: number
  state: 'reviewing' | 'published' | 'rejected'
  /** Who is reviewing: a random id per lease, or null while nobody is. */
  leaseId: string | null
  leaseUntil: number | null
  /** The stored outcome of a rejected attempt. */
  code: ErrorCode | null
  reason: ReviewReason | null
  detail: string | null
  createdAt: number
  settledAt: number | null
}

/** One destination on the board of free listings. Status is derived from it, never stored. */
export interface ListingTable {
  id: Generated<number>
  /** Last part of the public page's address; unique. */
  slug: string
  /** `Destination.key`; unique for ever, whatever becomes of the listing. */
  destinationKey: string
  url: string
  hostname: string
  category: string
  title: string
  description: string
  siteName: string
  /** As its page declares, else as its words look (BCP 47); empty where neither says. */
  language: string
  imageUrl: string | null
  publishedAt: number
  /** Null: no end is scheduled. */
  expiresAt: number | null
  hiddenAt: number | null
  hiddenBy: 'operator' | 'owner' | null
  hiddenReason: string | null
  /** `searchText` of what it is found by: the index of search is kept from it. */
  searchText: Generated<string>
}

/** A word that a listing has or had, to find those that it stands inside of, and those that are nearly it. */
interface SearchWordTable {
  id: Generated<number>
  word: string
  /** All of its three letters in a row, with its ends, and blanks between. */
  parts: string
}

/** Who may manage a listing: the holder of the owner token, of which only a hash is here. */
interface ClaimTable {
  /** Random UUID, part of the private link. */
  id: string
  listingId: number
  requestId: string
  /** The approval evidence: what the agent declared, when, and for which destination as it was sent. */
  approvalScope: string
  rulesVersion: string
  approvedAt: number
  destinationAsSent: string
  /** Counts renewals of the private link; part of the token's derivation. */
  linkVersion: number
  ownerTokenHash: string
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
  /** Why it is not credited, for the operator to settle; null where it is. */
  unplaced: UnplacedReason | null
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
}

/** How many destinations have a place below a node of the tree that rank is read from (`boards/rank.ts`). */
interface BoardCountTable {
  board: string
  level: number
  amount: number
  time: number
  destinations: number
}

/** A payment page of the sandbox processor, which plays the part of a real one: only its own files use these two. */
export interface SandboxSessionTable {
  id: string
  idempotencyKey: string
  checkoutId: string
  paymentId: string
  description: string
  amountCents: number
  successUrl: string
  cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  paymentStatus: 'unpaid' | 'paid' | 'failed'
  /** In all, without those that failed. */
  refundedCents: number
  /** JSON of each refund, oldest first. */
  refunds: string
  disputeId: string | null
  /** What the dispute is about. */
  disputedCents: number
  disputeStatus: 'open' | 'won' | 'lost' | null
  createdAt: number
  expiresAt: number
}

/** An event the sandbox delivers, or has delivered. */
export interface SandboxEventTable {
  id: Generated<number>
  sessionId: string
  eventId: string
  type: string
  /** JSON, as it is signed and sent. */
  payload: string
  createdAt: number
  /** When it is sent next; null: not before somebody says so. */
  deliverAt: number | null
  /** Since it was last said to be sent. */
  attempts: number
  /** How often it was sent and accepted, and when last. */
  deliveries: number
  deliveredAt: number | null
  /** What the last attempt brought, for people. */
  answer: string | null
}

/** What was done to a listing, by whom and why. Append-only. */
interface AuditEventTable {
  id: Generated<number>
  listingId: number
  action: 'hide' | 'restore' | 'withdraw' | 'refresh' | 'category' | 'renew' | 'settle_report'
  actor: 'operator' | 'owner'
  reason: string
  at: number
}

export type ListingStatus = ReceiptStatus

/** The picture of a listing: what its own page offers as a preview, made anew by us. */
export interface PictureTable {
  listingId: number
  /** `wanted` until it was tried with an outcome; `none`: there is no usable one, and a placard is drawn. */
  state: 'wanted' | 'stored' | 'none'
  /** What the page names as its preview image, absolute; null where it names none. */
  sourceUrl: string | null
  attempts: number
  /** When it is to be fetched; null when nothing is left to do. */
  tryAt: number | null
  mediaType: string | null
  /** In pixels. */
  width: number | null
  height: number | null
  /** Part of the SHA-256 of the bytes. */
  version: string | null
  bytes: Buffer | null
  storedAt: number | null
}

/** Views of the public page and clicks on the way out, of one UTC day, or later of a whole month. They never touch rank. */
interface ListingDayTable {
  listingId: number
  /** YYYY-MM-DD, or YYYY-MM for what was added up of its days: that comes before any day that still stands alone. */
  day: string
  views: number
  clicks: number
}

/** What a visitor, or the service itself, says is wrong with a listing. */
interface ReportTable {
  id: Generated<number>
  listingId: number
  reason: string
  details: string
  /** How to reach the reporter, if they want; else empty. */
  contact: string
  createdAt: number
  settledAt: number | null
  /** What the operator did about it. */
  settlement: string | null
}

/** A place of a board as it was at a moment. */
interface BoardMarkTable {
  board: string
  at: number
  destinationKey: string
  rank: number
}

/** A service key that signed for this database, oldest first: nothing by which the key itself could be known. */
interface ServiceKeyTable {
  id: Generated<number>
  checkValue: string
  /** From then on it signs, and the one before it no more. */
  firstUsedAt: number
  /** When the operator gave it up as lost; null else. */
  lostAt: number | null
}

/** One renewal of a private link, and the service key with which the new one was derived from the old one. */
interface RenewedLinkTable {
  claimId: string
  linkVersion: number
  keyCheckValue: string
}

/** One row, written anew to prove that the database takes writes. */
interface WriteProbeTable {
  id: number
  filler: Buffer
}
