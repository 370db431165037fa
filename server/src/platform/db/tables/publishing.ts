import type { ErrorCode, ReceiptStatus, ReviewReason } from '@placard/contract'
import { type Generated, sql } from 'kysely'
import { FACTS_DAYS } from './decisions.ts'
import { FOREVER, forDays, type RetentionRules, WITH_ITS_LISTING } from './retention.ts'

export const PUBLISHING: RetentionRules<PublishingTables> = {
  attempt: [
    {
      what: 'A submission that was published',
      kept: WITH_ITS_LISTING,
      why: 'Repeating it recovers the receipt.',
    },
    {
      what: 'A submission that was refused or never finished',
      kept: forDays(FACTS_DAYS, 'after it was sent'),
      why: 'Repeating it returns the same answer, and a refusal can be contested for six months. After that it counts as a new one.',
      end: {
        days: FACTS_DAYS,
        key: ['requestId'],
        // An attempt that is being repeated at this moment stays. So do those of the current day: quotas count them.
        where: before =>
          sql`state <> 'published' and "createdAt" < ${before} and ("leaseUntil" is null or "leaseUntil" < ${before})`,
        order: sql`"createdAt"`,
      },
    },
    {
      what: 'The hashes of a client address and its network with a submission',
      kept: forDays(1, 'after the UTC day it was sent'),
      why: 'We count the submissions of each client and network per day. The extra day allows for clocks that differ.',
      end: { days: 1, step: 'client-hashes' },
    },
  ],
  listing: [
    {
      what: 'A listing',
      kept: FOREVER,
      why: 'Nobody else can take its address over, and its receipt can be recovered. It is shown only while it is published.',
    },
  ],
  claim: [
    {
      what: 'The approval of a listing, and the hash of its private link',
      kept: WITH_ITS_LISTING,
      why: 'The private link needs it.',
    },
  ],
  service_key: [
    {
      what: 'A check value that identifies a service key without revealing it',
      kept: FOREVER,
      why: 'It keeps the service from starting with a wrong key, which would lose links.',
    },
  ],
  renewed_link: [
    {
      what: 'A renewal of a private link',
      kept: WITH_ITS_LISTING,
      why: 'A repeated submission needs it to return the current link.',
    },
  ],
  write_probe: [
    {
      what: 'One row, rewritten every second',
      kept: FOREVER,
      why: 'It proves that the database takes writes.',
    },
  ],
  oldest_service: [
    {
      what: 'One row: the oldest version of this software that may work here',
      kept: FOREVER,
      why: 'An older one would use what is no longer there, so it does not start.',
    },
  ],
  allowance_window: [
    {
      what: 'What a client did in the present window of a request limit, by a hash of its address',
      kept: 'an hour after the window ended',
      end: { days: 1 / 24, key: ['key'], where: before => sql`"endsAt" < ${before}`, order: sql`"endsAt"` },
      why: 'With PostgreSQL, all instances count a client’s requests together.',
    },
  ],
}

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
  /** The same of the client's broadest network. */
  networkHash: Generated<string>
  day: string
  /**
   * Its place among the attempts of its day: of everybody, of its client, of its client's network, for its hostname. The
   * highest is the count. Those of client and network mean nothing once the two are forgotten.
   */
  nthOfDay: number
  nthOfClient: number
  nthOfNetwork: Generated<number>
  nthOfHostname: number
  state: 'reviewing' | 'published' | 'rejected'
  /** Who is reviewing: a random id per lease, or null while nobody is. */
  leaseId: string | null
  leaseUntil: number | null
  /** How many times its website did not answer in time, and when it may be fetched again because of that. */
  timeouts: Generated<number>
  retryAt: number | null
  /** The stored outcome of a rejected attempt. */
  code: ErrorCode | null
  reason: ReviewReason | null
  detail: string | null
  /** Once a refusal was reversed: what was judged, as JSON (`domain/review/reviewers/admitted.ts`), which no longer counts against it. */
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
