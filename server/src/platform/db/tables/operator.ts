import type { Generated } from 'kysely'
import { daysAfter, FOREVER, forDays, type TablePolicies } from './retention.ts'

/** Notifications to operators, and their console. */
export interface OperatorTables {
  /** What one channel has sent to the operator, and the message in progress. */
  told: {
    /**
     * Each recipient of mail has a channel, named by the hash of the address. Before 0.3, all had the channel `mail`.
     */
    channel: 'webhook' | 'mail' | `mail-${string}`
    /** All decisions up to this position in the log were sent. */
    toldPosition: number
    /** Items without a position in the log were sent up to this time. */
    toldTime: number
    /** The last UTC day on which a digest was written. */
    digestDay: string
    /** JSON of the message in progress, see `domain/notifications/operator/message.ts`; null if there is none. */
    message: string | null
    /** Delivery attempts of the message that have started. */
    attempts: Generated<number>
    /** When the message was written. */
    messageAt: number | null
    /** When the channel is checked next. A delivery begins by moving this time on, which is its lease. */
    tryAt: number
  }
  /** Something that the operator must look at. One row for each kind. */
  warning: {
    /** See `domain/notifications/operator/warnings.ts`. */
    kind: string
    /** When the operator was last to be notified. */
    at: number
  }
  /**
   * A console user: an operator who was given a link to the console, or accepted an invitation, until their removal.
   */
  console_operator: {
    name: string
    /** When the last link was made, or the last invitation accepted. */
    linkedAt: number
    role: Generated<ConsoleRole>
    /** The admin who invited them in the console; null if it was done on the server. */
    invitedBy: string | null
  }
  /** A link that opens the console once, or invites a user. Using it deletes the row. */
  console_link: {
    /** SHA-256 of the token in the link. */
    hash: string
    name: string
    endsAt: number
    /** For an invitation: the role of the user. */
    role: ConsoleRole | null
    /** For an invitation: the admin who made it in the console. */
    invitedBy: string | null
  }
  /** An operator's session. Ending it deletes the row. */
  console_session: {
    /** SHA-256 of the token in the cookie. */
    hash: string
    name: string
    endsAt: number
    /** The last action that can be undone, as JSON: see `domain/moderation/console/undo.ts`. */
    lastAct: string | null
  }
  /** A passkey of a console user. It works only at the domain where it was created. */
  console_passkey: {
    /** The credential's id, in base64url. */
    id: string
    name: string
    /** What its user calls the device. */
    label: string
    /** A COSE key, in base64url. */
    publicKey: string
    /** Signatures counted by the device; 0 if it doesn't count. */
    counter: number
    addedAt: number
    usedAt: number | null
  }
  /** A challenge that a passkey has answered, so that nobody can send the answer again. */
  console_challenge: {
    /** SHA-256 of the challenge. */
    hash: string
    endsAt: number
  }
}

/** What a console user may do. An admin also manages the other users. */
export type ConsoleRole = 'admin' | 'moderator'

export const operatorPolicies: TablePolicies<OperatorTables> = {
  told: {
    isExported: true,
    retention: [
      {
        what: 'What was sent to the operator by webhook or mail',
        kept: FOREVER,
        why: 'Nothing is sent twice. There is one row for each channel.',
      },
      {
        what: 'A message to the operator',
        kept: 'until it is delivered, or for a day',
        why: 'It is sent again if it could not be delivered.',
      },
    ],
  },
  warning: {
    isExported: true,
    what: 'A warning to the operator',
    kept: forDays(7, 'after it last happened'),
    why: 'The operator is notified at most once a day.',
    end: daysAfter(7, 'at', 'kind'),
  },
  console_operator: {
    isExported: true,
    what: 'The name and role of an operator with access to the console, and the admin who invited them',
    kept: 'until `console-remove`, or without a passkey until `console-end`',
    why: 'If there are two operators, neither decides an appeal against their own decision.',
  },
  console_link: {
    // After an import, operators sign in again.
    isExported: false,
    what: 'The hash of a link that opens the console or invites an operator, and the operator',
    kept: forDays(1, 'after it ended, unless it was used'),
    why: 'The operator signs in with it, once. Using it deletes it.',
    end: daysAfter(1, 'endsAt', 'hash'),
  },
  console_session: {
    isExported: false,
    what: 'The hash of an operator’s console session, and the last action in it',
    kept: forDays(1, 'after it ended'),
    why: 'The operator works in it, and can undo the last action. Ending it deletes it.',
    end: daysAfter(1, 'endsAt', 'hash'),
  },
  console_passkey: {
    // An import never opens the console to the author of its file. Passkeys work at one domain only, too.
    isExported: false,
    what: 'The public key of an operator’s passkey, its name, and when it was last used',
    kept: 'until it, or its operator, is removed',
    why: 'The operator signs in to the console with it.',
  },
  console_challenge: {
    isExported: false,
    what: 'The hash of a random number that a passkey has signed',
    kept: forDays(1, 'after it ended'),
    why: 'Each sign-in signs a new one, and is accepted once.',
    end: daysAfter(1, 'endsAt', 'hash'),
  },
}
