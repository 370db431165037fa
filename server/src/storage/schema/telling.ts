import type { Generated } from 'kysely'

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
  /** JSON of the message under way, see `telling/message.ts`; null between two. */
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
  /** See `warnings/warn.ts`. */
  kind: string
  /** When it last was to be told. */
  at: number
}
