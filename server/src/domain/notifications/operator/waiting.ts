import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/store.ts'
import { isOpenAppeal } from '../../../platform/db/tables/decisions.ts'
import { isUnplaced } from '../../../platform/db/tables/payments.ts'

/** The last decision and time that the operator's messages cover. */
export interface Covered {
  position: number
  time: number
}

/** The pending items of one kind. */
export interface Waiting {
  kind: KindName
  count: number
  oldestAt: number
  /** Some of them, the most serious first, then the oldest. */
  first: Item[]
}

/** A message names at most this many items of a kind, and counts the others. */
const NAMED_MAX = 10

/**
 * How serious reports are, by reason. The lowest number comes first. Appeals and payments come between reasons that
 * harm visitors and the rest, because a person waits for an answer.
 */
const REPORTED: Readonly<Record<string, number>> = {
  scam: 0,
  malicious: 1,
  failed_review: 3,
  misleading: 3,
  adult: 3,
  copyright: 4,
  unwanted: 4,
  other: 5,
}
export const AWAITED = 2

/** How serious findings are: by the review reason in their evidence, else by kind. A flag without either is a 3. */
const FOUND_FOR: Readonly<Record<string, number>> = { malicious: 1 }
const FOUND: Readonly<Record<string, number>> = { taken_over: 1, moved: 4, rewritten: 4, gone: 5, contested: 2 }
const USUAL = 3

export const reportSeriousness: RawBuilder<number> = sql`case ${cases(REPORTED, reason => sql`report.reason = ${sql.lit(reason)}`)} else ${sql.lit(5)} end`

/** SQL for the seriousness of a row of `finding`. In JSON, every quotation mark in a page's text is escaped. */
export const findingSeriousness: RawBuilder<number> = sql`case
  ${cases(FOUND_FOR, reason => sql`finding.evidence like ${sql.lit(`%"reason":"${reason}"%`)}`)}
  ${cases(FOUND, kind => sql`finding.kind = ${sql.lit(kind)}`)} else ${sql.lit(USUAL)} end`

function cases(table: Readonly<Record<string, number>>, when: (name: string) => RawBuilder<unknown>) {
  const rows = Object.entries(table).map(([name, number]) => sql`when ${when(name)} then ${sql.lit(number)}`)
  return sql.join(rows, sql` `)
}

/** What the operator is notified of. To add a kind, add a row. */
export const KINDS = {
  report: {
    one: 'report',
    many: 'reports',
    see: 'reports',
    by: 'position',
    waiting: sql`
      select coalesce(decision.position, 0) as mark, report."createdAt" as at, report.reason as what,
        listing.title, listing.slug, ${reportSeriousness} as seriousness
      from report
        join listing on listing.id = report."listingId"
        left join decision on decision.id = report."decisionId"
      where report."settledAt" is null`,
  },
  appeal: {
    one: 'appeal',
    many: 'appeals',
    see: 'appeals',
    by: 'position',
    waiting: sql`
      select coalesce(decision.position, 0) as mark, decision.at, contested.kind as what,
        coalesce(listing.title, attempt.hostname, '') as title, listing.slug, 0 as seriousness
      from decision
        join decision as contested on contested.id = decision.about
        left join listing on listing.id = decision."listingId"
        left join attempt on attempt."requestId" = decision."requestId"
      where ${isOpenAppeal}`,
  },
  finding: {
    one: 'finding',
    many: 'findings',
    see: 'findings',
    by: 'time',
    waiting: sql`
      select finding."firstSeenAt" as mark, finding."firstSeenAt" as at, finding.kind as what,
        listing.title, listing.slug, ${findingSeriousness} as seriousness
      from finding join listing on listing.id = finding."listingId"
      where finding."settledAt" is null`,
  },
  payment: {
    one: 'unmatched payment',
    many: 'unmatched payments',
    see: 'payments --unplaced',
    by: 'time',
    // Since its first event, or the first one after it was settled.
    waiting: sql`
      select max(event."receivedAt") as mark, coalesce(
          min(case when event."receivedAt" > coalesce(closed."settledAt", -1) then event."receivedAt" end),
          max(event."receivedAt")
        ) as at, payment.unplaced as what, payment."paymentId" as title, null as slug, 0 as seriousness
      from payment
        join processor_event as event
          on event.processor = payment.processor and event."paymentId" = payment."paymentId"
        left join settled_payment as closed
          on closed.processor = payment.processor and closed."paymentId" = payment."paymentId"
      where ${isUnplaced}
      group by payment.processor, payment."paymentId", payment.unplaced`,
  },
  warning: {
    one: 'warning',
    many: 'warnings',
    by: 'time',
    waiting: sql`select at as mark, at, kind as what, '' as title, null as slug, 0 as seriousness from warning`,
  },
} as const satisfies Record<string, Kind>

const NAMES = Object.keys(KINDS) as KindName[]

/** Returns what arrived after `from`, up to `to`, and is still pending. Leaves out empty kinds. */
export async function newBetween(db: Db, from: Covered, to: Covered): Promise<Waiting[]> {
  const kinds = NAMES.filter(kind => to[KINDS[kind].by] > from[KINDS[kind].by])
  const waiting: Waiting[] = []
  for (const kind of kinds) waiting.push(...(await waitingOf(db, kind, from, to)))
  return waiting
}

/** Returns all pending items. */
export const allWaiting = (db: Db): Promise<Waiting[]> =>
  newBetween(db, { position: -1, time: -1 }, { position: Number.MAX_SAFE_INTEGER, time: Number.MAX_SAFE_INTEGER })

async function waitingOf(db: Db, kind: KindName, from: Covered, to: Covered): Promise<Waiting[]> {
  const { by, waiting } = KINDS[kind]
  const items = sql`from (${waiting}) as item where mark > ${from[by]} and mark <= ${to[by]}`
  const counted = await sql<{ count: number; oldestAt: number }>`
    select count(*) as count, min(at) as "oldestAt" ${items}`.execute(db)
  const [{ count, oldestAt } = { count: 0, oldestAt: 0 }] = counted.rows
  if (count === 0) return []
  const { rows } = await sql<Item>`
    select at, what, title, slug ${items} order by seriousness, at limit ${sql.lit(NAMED_MAX)}`.execute(db)
  return [{ kind, count, oldestAt, first: rows }]
}

/** One pending item. `title` is written by strangers: show it only through `quoted`. */
export interface Item {
  /** When it arrived. */
  at: number
  /** A code, such as a reason. */
  what: string
  /** The listing's title, or another name of the item. */
  title: string
  slug: string | null
}

interface Kind {
  one: string
  many: string
  /** The command that shows such items to an operator. Absent if the item says everything. */
  see?: string
  /** How new items are recognised: by the position of their decision in the log, which has no gaps, or by a time. */
  by: 'position' | 'time'
  /**
   * Selects all pending items: `Item`, in `mark` the position or time (0 if it has none yet), and in `seriousness` the
   * order: the lowest number first.
   */
  waiting: RawBuilder<Item & { mark: number; seriousness: number }>
}

type KindName = keyof typeof KINDS
