import type { RawBuilder } from 'kysely'

/** How long some rows of a table are kept. `docs/retention.md` and the privacy page print its three texts. */
interface RetentionRule<Row> {
  /** What the rows are. */
  what: string
  kept: string
  why: string
  /** The age at which the rows end. Left out if the retention job never touches them. */
  end?: DeleteOldRows<Row> | NamedStep
}

/** The retention of every table of a group. */
export type RetentionRules<Tables> = { [Table in keyof Tables]: readonly RetentionRule<Tables[Table]>[] }

/** Deletes rows that are older than a number of days, a few at a time. */
export interface DeleteOldRows<Row> {
  days: number
  /** The columns that identify a row. */
  key: readonly (keyof Row & string)[]
  /** Selects the rows from before a time. A partial index is used only if its values are spelled the same here. */
  where: (before: number) => RawBuilder<unknown>
  /** Must follow an index. Otherwise each step scans what the steps before it deleted. */
  order: RawBuilder<unknown>
}

/** Names a step of the retention job, for rows whose end is more than a plain delete. */
export interface NamedStep {
  days: number
  step: 'unpaid-orders' | 'traffic' | 'client-hashes' | 'decision-facts' | 'count-changes'
}

/** @param since what the days count from, such as `after it was settled` */
export const forDays = (days: number, since: string): string => `${days} ${days === 1 ? 'day' : 'days'} ${since}`

export const FOREVER = 'for good'

export const WITH_ITS_LISTING = 'as long as its listing'

/** For unpaid orders, settled findings, ended blocks and owner notices: long enough for support to look them up. */
export const SUPPORT_DAYS = 90
