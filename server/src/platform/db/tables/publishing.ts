import type { ErrorCode, ReceiptStatus, ReviewReason } from '@placard/contract'
import { type Generated, sql } from 'kysely'
import { FACTS_DAYS, withOpenAppeal } from './decisions.ts'
import { daysAfter, FOREVER, forDays, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** Submissions, the listings that follow from them, and the service keys that sign. */
export interface PublishingTables {
  /** A service key that signed for this database, oldest first. The key can't be derived from these columns. */
  service_key: {
    id: Generated<number>
    checkValue: string
    /** From this time, it signs instead of the key before it. */
    firstUsedAt: number
    /** When the operator declared it lost. */
    lostAt: number | null
  }
  /** One submission, written before its page is fetched. Quotas are counts over these rows. */
  attempt: {
    /** UUIDv7, given out as `requestId`. */
    requestId: string
    /** As sent, in lower case; unique. */
    idempotencyKey: string
    /** SHA-256 of the 32 bytes of the submission secret. */
    secretHash: string
    /** SHA-256 of the canonical JSON of the whole body. */
    fingerprint: string
    hostname: string
    /** Keyed hash of the client's address prefix, so quotas store no addresses. Empty once its day is over. */
    clientHash: string
    /** Keyed hash of the client's broadest network. Empty once its day is over. */
    networkHash: Generated<string>
    day: string
    /**
     * Its number among the attempts of its day: of all, of its client, of its client's network, for its hostname. The
     * highest number is the count. Those of client and network mean nothing once the two hashes are removed.
     */
    nthOfDay: number
    nthOfClient: number
    nthOfNetwork: Generated<number>
    nthOfHostname: number
    state: 'reviewing' | 'published' | 'rejected'
    /** A random id for each lease; null if no process is reviewing. */
    leaseId: string | null
    leaseUntil: number | null
    /** How many times its website did not answer in time. */
    timeouts: Generated<number>
    /** After a timeout: when the website may be fetched again. */
    retryAt: number | null
    /** The stored outcome of a rejected attempt. */
    code: ErrorCode | null
    reason: ReviewReason | null
    detail: string | null
    /** JSON of the verdicts that an appeal reversed (`domain/review/reviewers/admitted.ts`). They no longer count. */
    admits: string | null
    /** After such an appeal: the id of its next decision. */
    decisionId: string | null
    createdAt: number
    /** When it was published, refused, or last reopened by an appeal. */
    settledAt: number | null
  }
  /** One destination on the board of free listings. Status is derived from it, never stored. */
  listing: {
    id: Generated<number>
    /** Last part of the public page's address; unique. */
    slug: string
    /** `Destination.key`; unique permanently, even after the listing has ended. */
    destinationKey: string
    url: string
    hostname: string
    category: string
    title: string
    description: string
    siteName: string
    /** BCP 47: as its page declares it, or detected from its words; empty if neither works. */
    language: string
    imageUrl: string | null
    publishedAt: number
    /** Null: no end is scheduled. */
    expiresAt: number | null
    hiddenAt: number | null
    hiddenBy: 'operator' | 'owner' | 'automatic' | null
    hiddenReason: string | null
    /**
     * The last change of what the public sees of it, other than its end. Whatever changes that sets this
     * in the same transaction, because mirrors ask for what changed since a time.
     */
    updatedAt: Generated<number>
    /** What search finds the listing by. The search index follows it. */
    searchText: Generated<string>
  }
  /** An agent's request that its customer approves a listing in a browser. */
  approval: {
    /** SHA-256 of the code, which opens the request to anyone who has it. */
    codeHash: string
    destination: string
    destinationKey: string
    category: string
    /** The name that the agent gave itself. */
    agent: string
    /** JSON of what the listing would show; null if the page could not be read. */
    preview: string | null
    /** The answer. Whether it has expired follows from the time. */
    state: 'waiting' | 'approved' | 'declined'
    createdAt: number
    expiresAt: number
    answeredAt: number | null
    /** The submission that has this approval. No other can use it. */
    idempotencyKey: string | null
  }
}

export type ListingStatus = ReceiptStatus

const APPROVAL_DAYS = 2

export const publishingPolicies: TablePolicies<PublishingTables> = {
  service_key: {
    isExported: true,
    what: 'A check value that identifies a service key without revealing it',
    kept: FOREVER,
    why: 'It prevents a start with a wrong key, which would lose links.',
  },
  attempt: {
    isExported: true,
    retention: [
      { what: 'A submission that was published', kept: WITH_ITS_LISTING, why: 'Its replay recovers the receipt.' },
      {
        what: 'A submission that was refused or never finished',
        kept: forDays(FACTS_DAYS, 'after it was sent, refused or reopened, and until its appeal is decided'),
        why: 'A replay returns the same answer, and a refusal can be appealed for six months. After that, it counts as a new submission.',
        end: {
          days: FACTS_DAYS,
          key: ['requestId'],
          // Attempts that are being repeated are kept, and so are those of the current day: quotas count them.
          where: before =>
            sql`state <> 'published' and "createdAt" < ${before} and coalesce("settledAt", 0) < ${before}
              and coalesce("leaseUntil", 0) < ${before}
              and "requestId" not in ${withOpenAppeal('requestId')}`,
          order: sql`"createdAt"`,
        },
      },
      {
        what: 'The hashes of a client address and its network with a submission',
        kept: forDays(1, 'after the UTC day it was sent'),
        why: 'We limit the submissions of each client and network per day. The extra day allows for clocks that differ.',
        end: { days: 1, step: 'client-hashes' },
      },
    ],
  },
  listing: {
    isExported: true,
    what: 'A listing',
    kept: FOREVER,
    why: 'No other listing can take its address, and its receipt can be recovered. It is shown only while it is published.',
  },
  approval: {
    isExported: true,
    what: 'A request for approval in a browser: website, category, the agent’s name for itself, and the answer',
    kept: forDays(APPROVAL_DAYS, 'after it was made'),
    why: 'It can be answered for 30 minutes. A submission that a daily limit delayed can still use it on the next day.',
    end: daysAfter(APPROVAL_DAYS, 'createdAt', 'codeHash'),
  },
}
