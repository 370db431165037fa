import type { ErrorCode, ReceiptStatus, ReviewReason } from '@placard/contract'
import type { Generated } from 'kysely'

/** What was published, by whom, and with which keys. */
export interface PublishingTables {
  attempt: AttemptTable
  listing: ListingTable
  claim: ClaimTable
  service_key: ServiceKeyTable
  renewed_link: RenewedLinkTable
  write_probe: WriteProbeTable
  oldest_service: OldestServiceTable
  allowance_window: AllowanceWindowTable
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
  /** Once a refusal was reversed: the reasons, separated by spaces, that no longer count against it. */
  admits: string | null
  /** Then also the id of its next decision. */
  decisionId: string | null
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
  /** As its page declares, else as its words look (BCP 47); empty if neither tells. */
  language: string
  imageUrl: string | null
  publishedAt: number
  /** Null: no end is scheduled. */
  expiresAt: number | null
  hiddenAt: number | null
  hiddenBy: 'operator' | 'owner' | 'automatic' | null
  hiddenReason: string | null
  /** `searchText` of what it is found by. The search index follows it. */
  searchText: Generated<string>
}

export type ListingStatus = ReceiptStatus

/** Who owns a listing: the holder of the owner token, of which only a hash is here. */
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

/** A service key that signed for this database, oldest first: nothing by which the key itself could be known. */
interface ServiceKeyTable {
  id: Generated<number>
  checkValue: string
  /** From then on it signs, and the one before it no more. */
  firstUsedAt: number
  /** When the operator gave it up as lost; null else. */
  lostAt: number | null
}

/** One renewal of a private link, and the service key with which the new one was derived. */
interface RenewedLinkTable {
  claimId: string
  linkVersion: number
  keyCheckValue: string
  /** Random, where an operator reissued the link: then it was derived from this, and not from the one before. */
  nonce: string | null
}

/** One row, written anew to prove that the database takes writes. */
interface WriteProbeTable {
  id: number
  filler: Buffer
}

/** One row: who may work on this database. */
interface OldestServiceTable {
  id: number
  /** Whoever may knows this migration. */
  schema: string
  /** The first release that does, for people. */
  version: string
}

/** What a client did in the present window of a request limit, if instances share a PostgreSQL. */
interface AllowanceWindowTable {
  /** Keyed hash of the limit and its client. */
  key: string
  /** By the database's clock. */
  endsAt: number
  granted: number
  /** What instances hold beyond what was asked for. */
  spare: number
}
