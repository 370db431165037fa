import { type Generated, sql } from 'kysely'
import { CONTEST_DAYS } from './decisions.ts'
import { daysAfter, forDays, type TablePolicies } from './retention.ts'

export interface MailTables {
  /** The mail address for a listing. A listing has one confirmed address, and at most one that may replace it. */
  owner_mail: {
    /** Random UUID, new for each address. Tokens in mails contain it. */
    id: string
    listingId: number
    /** Encrypted: `domain/notifications/owner/mail-address.ts`. */
    address: string
    /** Identifies the service key that the encryption key is derived from. */
    keyCheckValue: string
    /** HMAC of the address, under a key derived from the service key. */
    addressHash: string
    /** `MailChoice`s, separated by commas. */
    choices: string
    /** When it was entered. */
    at: number
    confirmedAt: number | null
    /** How many mails in a row the recipient's server refused. */
    refusals: Generated<number>
    /** When the last mail about overtaken places was sent. */
    overtakenAt: number | null
    /** The Monday of the last summary, as a UTC day. */
    summaryDay: string | null
    /** The rank of all time in the last summary. */
    summaryRank: number | null
  }
  /** A mail to send. Its row is deleted once it is sent. A link to the private page keeps its row until it is used. */
  outgoing_mail: {
    /** UUIDv7, also in the Message-ID. */
    id: string
    addressId: string
    listingId: number
    kind: MailKind
    /** JSON; `domain/notifications/owner/plan-mail.ts` has its shape for each kind. */
    facts: string
    /** When it was first due. */
    at: number
    /** Attempts that have started. */
    attempts: Generated<number>
    /** When the next attempt is due; null once it is sent. */
    sendAt: number | null
  }
  /** An address that must not get another mail of a kind yet. */
  mail_turn: {
    /** HMAC of kind and address, under a key derived from the service key. */
    hash: string
    endsAt: number
  }
}

/** What an owner can choose to get mail about. */
export type MailChoice = 'overtaken' | 'ends' | 'decided' | 'page_gone' | 'drawn' | 'summary'

/**
 * Each kind that can be chosen, the last day before an end, dangers to ownership, what became of an address, and two
 * that are asked for.
 */
export type MailKind =
  | Exclude<MailChoice, 'ends'>
  | 'ends_soon'
  | 'ends_tomorrow'
  | 'claim_waits'
  | 'proof_missing'
  | 'replaced'
  | 'off'
  | 'confirm'
  | 'open'

/** A mail that could not be sent is given up long before. The last day of a listing is planned a week ahead. */
const OUTGOING_DAYS = 8

/** Tables that are empty on a site that sends no mail to owners. */
export const MAIL_TABLES: readonly string[] = ['owner_mail', 'outgoing_mail', 'mail_turn']

export const mailPolicies: TablePolicies<MailTables> = {
  owner_mail: {
    isExported: true,
    retention: [
      {
        what: 'An owner’s mail address, encrypted, its keyed hash, and what to send there',
        kept: `until its owner removes it or withdraws the listing, until its mail server refuses three mails, or ${forDays(CONTEST_DAYS, 'after the listing ended or was taken down')}`,
        why: 'Mail is sent there. Only the service key can decrypt the address.',
        end: {
          days: CONTEST_DAYS,
          key: ['id'],
          where: before => sql`exists (select 1 from listing where listing.id = owner_mail."listingId"
            and (listing."hiddenAt" < ${before} or listing."expiresAt" < ${before}))`,
          order: sql`id`,
        },
      },
      {
        what: 'A mail address that was not confirmed',
        kept: '1 day',
        why: 'Its owner can confirm it on that day.',
        end: {
          days: 1,
          key: ['id'],
          where: before => sql`"confirmedAt" is null and at < ${before}`,
          order: sql`at`,
        },
      },
    ],
  },
  outgoing_mail: {
    isExported: true,
    what: 'A mail to an owner that is not sent yet, without its address',
    kept: `until it is sent, at most ${OUTGOING_DAYS} days`,
    why: 'It is sent again if it could not be delivered.',
    end: daysAfter(OUTGOING_DAYS, 'at', 'id'),
  },
  mail_turn: {
    isExported: false,
    what: 'The keyed hash of an address that someone asked us to write to',
    kept: '2 days',
    why: 'An address gets at most one mail a day that it has not asked for.',
    end: daysAfter(1, 'endsAt', 'hash'),
  },
}
