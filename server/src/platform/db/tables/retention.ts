import { type RawBuilder, sql } from 'kysely'

/**
 * Everything about a table that its columns don't say: one entry for each table, next to its row type. It has one rule,
 * or one for each kind of row that is kept for its own time.
 */
type TablePolicy<Row> = {
  /** Whether an export includes its rows. */
  isExported: boolean
} & (RetentionRule<Row> | { retention: readonly RetentionRule<Row>[] })

/** Requires a policy for every table of a group. */
export type TablePolicies<Tables> = { [Table in keyof Tables]: TablePolicy<Tables[Table]> }

/** How long some rows of a table are kept. `docs/retention.md` and the privacy page print its three texts. */
export interface RetentionRule<Row> {
  what: string
  kept: string
  why: string
  /** Left out if the retention job never touches these rows. */
  end?: DeleteOldRows<Row> | NamedStep
}

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

/** Deletes rows a number of days after the time in `since`, which must be a column with an index. */
export const daysAfter = <Row>(
  days: number,
  since: keyof Row & string,
  key: keyof Row & string,
): DeleteOldRows<Row> => ({
  days,
  key: [key],
  where: before => sql`${sql.ref(since)} is not null and ${sql.ref(since)} < ${before}`,
  order: sql.ref(since),
})

/** Names a step in `ops/jobs/delete-old-rows.ts`, for rows whose end is more than a plain delete. */
export interface NamedStep {
  days: number
  step: 'unpaid-orders' | 'traffic' | 'client-hashes' | 'decision-facts' | 'count-changes'
}

/** @param since what the days count from, such as `after it was settled` */
export const forDays = (days: number, since: string): string => `${days} ${days === 1 ? 'day' : 'days'} ${since}`

export const FOREVER = 'permanently'

export const WITH_ITS_LISTING = 'as long as its listing'

/** For unpaid orders, settled findings, ended blocks and owner notices: long enough for support to look them up. */
export const SUPPORT_DAYS = 90
