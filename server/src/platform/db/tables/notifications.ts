import type { Board } from '@placard/contract'
import { type Generated, sql } from 'kysely'
import { forDays, type RetentionRules, SUPPORT_DAYS, WITH_ITS_LISTING } from './retention.ts'

/** Listings that somebody follows, and what there is to tell about them. */
export interface NoticeTables {
  watch: WatchTable
  watched_place: WatchedPlaceTable
  notice: NoticeTable
  webhook: WebhookTable
}

/** How a listing is followed, and what was last seen of its end and its page. */
export interface WatchTable {
  listingId: number
  /** SHA-256 of the token in the feed's address; null, like the three below, without a feed. */
  feedHash: string | null
  /** Random; part of the token's derivation, so that each address is a new one. */
  feedNonce: string | null
  /** The service key the token is derived with. */
  feedKeyCheckValue: string | null
  /** The private link's version when the address was made: no other version opens the feed. */
  feedLinkVersion: number | null
  /** When its page is to be loaded next; null while nobody follows it. */
  checkAt: number | null
  /** When its page first failed to load, with no success since; null while it loads. */
  failingSince: number | null
  /** 1 once we have told that the page is gone; 0 again when it loads. */
  goneTold: Generated<number>
  /** The end that we have told is near. */
  endTold: number | null
}

/** Where a followed listing stood when a board was last compared. */
interface WatchedPlaceTable {
  listingId: number
  board: Board
  /** `all`, or the UTC day. */
  boardKey: string
  rank: number
  totalCents: number
  reachedAt: number
  seenAt: number
  /** Grows with each change, so that of two instances that compare, one tells. */
  changes: number
}

type NoticeKind = 'overtaken' | 'ends_soon' | 'page_gone' | 'taken_down' | 'test'

/** Something to tell whoever follows a listing. */
export interface NoticeTable {
  /** UUIDv7. */
  id: string
  listingId: number
  kind: NoticeKind
  /** JSON, see `domain/notifications/owner/notice.ts`. */
  facts: string
  at: number
  /** Deliveries begun to the listing's webhook. */
  attempts: Generated<number>
  /** When the webhook is to be tried; null when nothing is left to deliver. */
  tryAt: number | null
}

/** Where an owner wants events sent. Its secret is derived. */
export interface WebhookTable {
  listingId: number
  url: string
  /** Registrable domain of `url`: each gets one delivery at a time. */
  host: string
  /** Random; part of the secret's derivation, so that each secret is a new one. */
  nonce: string
  /** The service key the secret is derived with. */
  keyCheckValue: string
  /** When a delivery first failed, with no success since. */
  failingSince: number | null
  /** When we turned it off, and why: it answered 410, failed for a day, or its service key is lost. */
  offAt: number | null
  offBecause: 'gone' | 'failing' | 'key_lost' | null
  lastTriedAt: number | null
  /** Null if there was no answer. */
  lastStatus: number | null
}

export const NOTICES: RetentionRules<NoticeTables> = {
  watch: [
    {
      what: 'That an owner follows a listing, and the hash of its feed’s address',
      kept: WITH_ITS_LISTING,
      why: 'The feed needs it. An address that was renewed or turned off leaves nothing.',
    },
  ],
  watched_place: [
    {
      what: 'Where a followed listing was last seen on a board',
      kept: WITH_ITS_LISTING,
      why: 'We tell when others move ahead.',
    },
  ],
  notice: [
    {
      what: 'What we told about a followed listing',
      kept: forDays(SUPPORT_DAYS, 'after it was told'),
      why: 'Its feed shows it.',
      end: { days: SUPPORT_DAYS, key: ['id'], where: before => sql`at < ${before}`, order: sql`at` },
    },
  ],
  webhook: [
    {
      what: 'The address of an owner’s webhook, and how its last delivery ended',
      kept: 'until its owner removes it',
      why: 'Events are sent there. The secret is not stored.',
    },
  ],
}
