import { type Generated, sql } from 'kysely'
import { FOREVER, forDays, type RetentionRules } from './retention.ts'

/** What the operator was told, and warnings to tell. */
export interface TellingTables {
  told: ToldTable
  warning: WarningTable
}

/** How far one channel has told the operator, and the message under way. */
export interface ToldTable {
  channel: 'webhook' | 'mail'
  /** All decisions up to this place in the chain are told. */
  toldPosition: number
  /** The same for what has no place there, by its time. */
  toldTime: number
  /** The last UTC day on which a digest was written. */
  digestDay: string
  /** JSON of the message under way, see `domain/notifications/operator/message.ts`; null between two. */
  message: string | null
  /** Deliveries of it begun. */
  attempts: Generated<number>
  /** When it was written. */
  messageAt: number | null
  /** When to look again. A delivery begins by moving it on, which is its lease. */
  tryAt: number
}

/** Something that a person has to look at. One row for each kind. */
interface WarningTable {
  /** See `domain/notifications/operator/warnings.ts`. */
  kind: string
  /** When it last was to be told. */
  at: number
}

export const CONSOLE: RetentionRules<ConsoleTables> = {
  console_link: [
    {
      what: 'The hash of a link that opens the console, and whom it is for',
      kept: forDays(1, 'after it ended, unless it was used'),
      why: 'The operator enters with it, once. Using it deletes it.',
      end: { days: 1, key: ['hash'], where: before => sql`"endsAt" < ${before}`, order: sql`"endsAt"` },
    },
  ],
  console_session: [
    {
      what: 'The hash of an operator’s session in the console, and what was done last in it',
      kept: forDays(1, 'after it ended'),
      why: 'The operator acts in it, and can undo the last act. Ending it deletes it.',
      end: { days: 1, key: ['hash'], where: before => sql`"endsAt" < ${before}`, order: sql`"endsAt"` },
    },
  ],
  console_operator: [
    {
      what: 'The name of an operator who was given a link to the console',
      kept: 'until `console-end`',
      why: 'Where there are two operators, one does not decide the appeal against a decision of their own.',
    },
  ],
}

export const JOBS: RetentionRules<JobTables> = {
  job: [
    {
      what: 'Which process does a background job, and how its last run went',
      kept: FOREVER,
      why: 'One process at a time does each, and the operator sees how it goes. There is one row for each job.',
    },
  ],
}

export const TELLING: RetentionRules<TellingTables> = {
  told: [
    {
      what: 'How far the operator was told what waits, by webhook or mail',
      kept: FOREVER,
      why: 'Nothing is told twice. There is one row for each way.',
    },
    {
      what: 'A message to the operator',
      kept: 'until it is delivered, or for a day',
      why: 'It is sent again if it could not be delivered.',
    },
  ],
  warning: [
    {
      what: 'That something went wrong which a person has to look at',
      kept: forDays(7, 'after it last happened'),
      why: 'The operator is told, and not again for a day.',
      end: { days: 7, key: ['kind'], where: before => sql`at < ${before}`, order: sql`at` },
    },
  ],
}

/** How operators enter the console, and who is in. */
export interface ConsoleTables {
  console_link: ConsoleLinkTable
  console_session: ConsoleSessionTable
  console_operator: ConsoleOperatorTable
}

/** A link that opens the console once. It is deleted as it is used. */
interface ConsoleLinkTable {
  /** SHA-256 of the token in the link. */
  hash: string
  /** Of the operator. */
  name: string
  endsAt: number
}

/** An operator's session. It is deleted as it is ended. */
interface ConsoleSessionTable {
  /** SHA-256 of the token in the cookie. */
  hash: string
  name: string
  endsAt: number
  /** What was done last and can be undone, as JSON: see `domain/moderation/console/undo.ts`. */
  lastAct: string | null
}

/** Whoever was given a link, until all of theirs is ended. */
interface ConsoleOperatorTable {
  name: string
  /** When the last link was made. */
  linkedAt: number
}

/** What the service does by itself. */
export interface JobTables {
  job: JobTable
}

/** A background job: who does it, and how its runs went. All times are by the database's clock. */
export interface JobTable {
  /** See `ops/jobs/table.ts`. */
  name: string
  /** The process that has the lease, in words for people; null if it was given back. */
  holder: string | null
  /** The lease runs out then. */
  heldUntil: number | null
  /** A random number of this lease. A process writes only under its own. */
  fence: Generated<number>
  /** When the last run began. */
  startedAt: number | null
  /** When the last one that was not cut off ended. */
  endedAt: number | null
  /** When the next one is due; null before the first. */
  nextAt: number | null
  /** Failed runs in a row. */
  failures: Generated<number>
  /** When one last failed, and with which message. */
  failedAt: number | null
  error: string | null
}
