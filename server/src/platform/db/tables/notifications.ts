import type { Board } from '@placard/contract'
import type { Generated } from 'kysely'
import { daysAfter, forDays, SUPPORT_DAYS, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** The listings that owners follow, and the notices and webhooks that tell them what happened. */
export interface NotificationTables {
  /** A listing that its owner follows by a private feed, a webhook or mail. */
  watch: {
    listingId: number
    /** SHA-256 of the token in the feed's URL. All four feed columns are null if there is no feed. */
    feedHash: string | null
    /** Random input to the token's derivation, so that each renewal gives a new URL. */
    feedNonce: string | null
    /** Identifies the service key that the token is derived from. */
    feedKeyCheckValue: string | null
    /** The version of the private link when the feed was made. Renewing the link ends the feed. */
    feedLinkVersion: number | null
    /** When the listing's page is fetched next; null while there is no feed, webhook or mail address. */
    checkAt: number | null
    /** The first failed fetch since the last successful one. */
    failingSince: number | null
    /** 1 after a `page_gone` notice, until the page loads again. */
    goneTold: Generated<number>
    /** The end date that the last `ends_soon` notice announced. */
    endTold: number | null
  }
  /** The place of a followed listing when its board was last compared. */
  watched_place: {
    listingId: number
    board: Board
    /** `all`, or the UTC day. */
    boardKey: string
    rank: number
    totalCents: number
    reachedAt: number
    seenAt: number
    /** A version number: if two instances compare at the same time, only one update succeeds. */
    changes: number
  }
  /** An event to show in a feed and to deliver to a webhook. */
  notice: {
    /** UUIDv7; receivers use it to recognise repeated deliveries. */
    id: string
    listingId: number
    kind: 'overtaken' | 'ends_soon' | 'page_gone' | 'taken_down' | 'claim_waits' | 'proof_missing' | 'drawn' | 'test'
    /** JSON; `domain/notifications/owner/notice.ts` has its shape for each kind. */
    facts: string
    at: number
    /** Delivery attempts that have started. */
    attempts: Generated<number>
    /** When the next delivery is due; null if there is nothing left to deliver. */
    tryAt: number | null
    /** The mail that has this notice, if the owner gets one. */
    mailId: string | null
  }
  /** Where an owner receives events. The signing secret is derived, not stored. */
  webhook: {
    listingId: number
    url: string
    /** The registrable domain of `url`. Each host gets one delivery at a time. */
    host: string
    /** Random input to the secret's derivation, so that each renewal gives a new secret. */
    nonce: string
    /** Identifies the service key that the secret is derived from. */
    keyCheckValue: string
    /** The first failed delivery since the last successful one. */
    failingSince: number | null
    offAt: number | null
    /** Why it was turned off: it answered 410, it failed for a day, or its service key is lost. */
    offBecause: 'gone' | 'failing' | 'key_lost' | null
    lastTriedAt: number | null
    /** Null if the last delivery got no reply. */
    lastStatus: number | null
  }
  /** Where an agent receives the events of a submission. */
  submission_webhook: Omit<NotificationTables['webhook'], 'listingId'> & {
    requestId: string
    /** What was delivered so far (`domain/publishing/submission-events.ts`). */
    cursor: string
    /** Delivery attempts of the next event that have started; 0 if none is under way or waits for a retry. */
    attempts: Generated<number>
    /** When to look for events, or to retry; null if only a decision can make the next event. */
    dueAt: number | null
  }
}

export const notificationPolicies: TablePolicies<NotificationTables> = {
  watch: {
    isExported: true,
    what: 'That an owner follows a listing, and the hash of its feed’s address',
    kept: WITH_ITS_LISTING,
    why: 'The feed needs it. An address that was renewed or turned off is deleted.',
  },
  watched_place: {
    isExported: true,
    what: 'The last place of a followed listing on a board',
    kept: WITH_ITS_LISTING,
    why: 'We notify its owner when others move ahead.',
  },
  notice: {
    isExported: true,
    what: 'A notice about a followed listing',
    kept: forDays(SUPPORT_DAYS, 'after it was made'),
    why: 'Its feed shows it.',
    end: daysAfter(SUPPORT_DAYS, 'at', 'id'),
  },
  webhook: {
    isExported: true,
    what: 'The address of an owner’s webhook, and how its last delivery ended',
    kept: 'until its owner removes it',
    why: 'Events are sent there. The secret is not stored.',
  },
  submission_webhook: {
    isExported: true,
    what: 'The address of an agent’s webhook for one submission, and how its last delivery ended',
    kept: 'as long as its submission, or until the agent removes it',
    why: 'Events are sent there. The secret is not stored.',
  },
}
