import type { ErrorCode, ReceiptStatus, ReviewReason } from '@placard/contract'
import type { Generated } from 'kysely'

/** All times are Unix milliseconds, all hashes and digests lower-case hex, all days UTC as YYYY-MM-DD. */
export interface Database {
  attempt: AttemptTable
  listing: ListingTable
  claim: ClaimTable
  board_total: BoardTotalTable
  audit_event: AuditEventTable
}

/** One submission, from its first byte of work on. Quotas are counts over these rows. */
export interface AttemptTable {
  /** UUIDv7, given out as `requestId`. */
  request_id: string
  /** As sent, in lower case; unique. */
  idempotency_key: string
  /** SHA-256 of the 32 bytes of the submission secret. */
  secret_hash: string
  /** SHA-256 of the canonical JSON of the whole body. */
  fingerprint: string
  hostname: string
  /** Keyed hash of the client's address prefix: counts without storing addresses. */
  client_hash: string
  day: string
  /** Its place among the attempts of its day: of everybody, of its client, for its hostname. The last is the count. */
  nth_of_day: number
  nth_of_client: number
  nth_of_hostname: number
  state: 'reviewing' | 'published' | 'rejected'
  /** Who is reviewing: a random id per lease, or null while nobody is. */
  lease_id: string | null
  lease_until: number | null
  /** The stored outcome of a rejected attempt. */
  code: ErrorCode | null
  reason: ReviewReason | null
  detail: string | null
  created_at: number
  settled_at: number | null
}

/** One destination on the board of free listings. Status is derived from it, never stored. */
export interface ListingTable {
  id: Generated<number>
  /** Last part of the public page's address; unique. */
  slug: string
  /** `Destination.key`; unique for ever, whatever becomes of the listing. */
  destination_key: string
  url: string
  hostname: string
  category: string
  title: string
  description: string
  site_name: string
  language: string
  image_url: string | null
  published_at: number
  /** Null: no end is scheduled. */
  expires_at: number | null
  hidden_at: number | null
  hidden_by: 'operator' | 'owner' | null
  hidden_reason: string | null
}

/** Who may manage a listing: the holder of the owner token, of which only a hash is here. */
interface ClaimTable {
  /** Random UUID, part of the private link. */
  id: string
  listing_id: number
  request_id: string
  /** The approval evidence: what the agent declared, when, and for which destination as it was sent. */
  approval_scope: string
  rules_version: string
  approved_at: number
  destination_as_sent: string
  /** Counts renewals of the private link; part of the token's derivation. */
  link_version: number
  owner_token_hash: string
}

/** Verified money of a destination on a board: derived from payments, kept so that rank is cheap. */
interface BoardTotalTable {
  /** `all`, or the UTC day of a `today` board. */
  board: string
  destination_key: string
  total_cents: number
  /** When the total was reached: ties go to who was there first. */
  reached_at: number
}

/** What was done to a listing, by whom and why. Append-only. */
interface AuditEventTable {
  id: Generated<number>
  listing_id: number
  action: 'hide' | 'restore' | 'withdraw'
  actor: 'operator' | 'owner'
  reason: string
  at: number
}

export type ListingStatus = ReceiptStatus
