// Columns have the names that the code uses for their values, so no row has to be renamed by hand. Kysely's
// `CamelCasePlugin` would copy every row, and doesn't reach statements that are built once.

import { type BoardTables, boardPolicies } from './boards.ts'
import { type DecisionTables, decisionPolicies } from './decisions.ts'
import { type FeaturedTables, featuredPolicies } from './featured.ts'
import { type ListingTables, listingPolicies, type SearchTables, searchPolicies } from './listings.ts'
import { type LogTables, logPolicies } from './log.ts'
import { type MailTables, mailPolicies } from './mail.ts'
import { type NotificationTables, notificationPolicies } from './notifications.ts'
import { type OperatorTables, operatorPolicies } from './operator.ts'
import { type OwnershipTables, ownershipPolicies } from './ownership.ts'
import { type PaymentTables, paymentPolicies } from './payments.ts'
import { type ProcessTables, processPolicies } from './processes.ts'
import { type PublishingTables, publishingPolicies } from './publishing.ts'
import { type RecheckTables, recheckPolicies } from './recheck.ts'
import type { RetentionRule, TablePolicies } from './retention.ts'

/** All times are Unix milliseconds, all hashes and digests lower-case hex, all days UTC as YYYY-MM-DD. */
export interface Database
  extends PublishingTables,
    SearchTables,
    OwnershipTables,
    DecisionTables,
    LogTables,
    PaymentTables,
    BoardTables,
    ListingTables,
    FeaturedTables,
    NotificationTables,
    MailTables,
    RecheckTables,
    OperatorTables,
    ProcessTables {}

export type Table = keyof Database

export type Engine = 'sqlite' | 'postgres'

/** All tables, each after those that it refers to: an export has them in this order. */
const POLICIES: TablePolicies<Database> = {
  ...publishingPolicies,
  ...searchPolicies,
  ...ownershipPolicies,
  ...decisionPolicies,
  ...logPolicies,
  ...paymentPolicies,
  ...boardPolicies,
  ...listingPolicies,
  ...featuredPolicies,
  ...notificationPolicies,
  ...mailPolicies,
  ...recheckPolicies,
  ...operatorPolicies,
  ...processPolicies,
}

const TABLES = Object.keys(POLICIES) as Table[]

/** The retention job deletes by these rules. The docs and the privacy page are made from them. */
export const RETENTION_RULES: readonly (RetentionRule<never> & { table: Table })[] = TABLES.flatMap(table => {
  const policy = POLICIES[table]
  return ('retention' in policy ? policy.retention : [policy]).map(rule => ({ table, ...rule }))
})

/** The tables of an export, in its order. Derived rows are exported, too: an import checks them. */
export const EXPORTED_TABLES = TABLES.filter(table => POLICIES[table].isExported)

/** Tables that only exports of older schemas have. Their migrations empty and drop them. */
const FORMER_TABLES: readonly string[] = ['audit_event', 'decision_chain']

/**
 * Refuses tables that no export has. A file with one is not from Placard: a row of `console_session` would open the
 * console to its author.
 *
 * @throws Error in one line
 */
export function refuseOtherTables(tables: unknown): void {
  const isList = Array.isArray(tables) && tables.every(each => typeof each?.table === 'string')
  if (!isList) throw new Error('it is damaged: it does not list its tables')
  const names = tables.map(({ table }) => table as string)
  const known = [...EXPORTED_TABLES, ...FORMER_TABLES]
  const other = names.find((name, at) => !(known.includes(name) && names.indexOf(name) === at))
  if (other === undefined) return
  throw new Error(`its table ${other} is in no export of Placard: use a file that Placard wrote`)
}
