import { type Selectable, sql } from 'kysely'
import type { Store } from '../../../platform/db/store.ts'
import { isOpenAppeal } from '../../../platform/db/tables/decisions.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import { type LastAct, lastAct } from '../../decisions/record.ts'
import { type DatedRow, datedColumns, joinPicture } from '../../listings/listed-row.ts'
import type { Listing } from '../../listings/listing.ts'
import { AWAITED, findingSeriousness, reportSeriousness } from '../../notifications/operator/waiting.ts'
import { countUnplaced, type UnplacedPayment, unplacedPayments } from '../../payments/unplaced.ts'
import { contestedIn, listOpenAppeals } from '../appeals/decide-appeal.ts'
import type { FoundDecision } from '../appeals/statement.ts'
import { type OpenFinding, openFindings } from '../findings.ts'

/** The kinds of pending items. */
export const WAITING = ['reports', 'findings', 'appeals', 'payments'] as const
type Waiting = (typeof WAITING)[number]
export type WaitingCounts = Record<Waiting, number>

export type OpenReport = Pick<Selectable<Database['report']>, 'id' | 'reason' | 'details' | 'contact' | 'createdAt'>

/** A listing as the console shows it. Its texts come from the web: treat them as hostile. */
type CaseListing = DatedRow & Pick<Listing, 'url' | 'hiddenAt' | 'hiddenBy' | 'hiddenReason'>

/** A listing with all its pending items. */
export interface Case {
  listing: CaseListing
  /**
   * The newest open reports, some of each reason, so that many for one reason do not hide those for another. The most
   * serious come first. Then their total number by reason, the most frequent first.
   */
  reports: OpenReport[]
  reasons: { reason: string; count: number }[]
  /** The highest numbers of what is open. An action settles nothing that came later. */
  lastReport: number
  findings: OpenFinding[]
  lastFinding: number
  appeals: FoundDecision[]
  /** Unmatched payments whose order was for this listing. */
  payments: UnplacedPayment[]
  last: LastAct | undefined
}

export interface Queue {
  cases: Case[]
  /** Appeals against decisions that are about no listing. */
  otherAppeals: FoundDecision[]
  /** Unmatched payments for no listing. */
  otherPayments: UnplacedPayment[]
  /** The number of pending listings under this filter, and of everything. */
  listings: number
  waiting: number
  /** The reasons of reports, the most serious first, without the filter. */
  reasons: { reason: string; count: number }[]
}

export interface QueueFilter {
  waiting?: Waiting | undefined
  reason?: string | undefined
}

/** How many listings the queue shows. The next ones follow as these are decided. */
export const CASES_SHOWN = 20
const REPORTS_SHOWN = 3
/** The maximum number of payments to read, and of findings and appeals about the listings that are shown. */
const READ_MAX = 500

/** Returns the pending listings: the most serious first, then those that have waited longest. */
export async function readQueue(store: Store, { waiting, reason }: QueueFilter): Promise<Queue> {
  const wants = (kind: Waiting) => reason === undefined && (waiting === undefined || waiting === kind)
  const reported = wants('reports') || reason !== undefined ? await reportedListings(store, reason) : []
  const found = wants('findings') ? await foundListings(store) : []
  const appeals = wants('appeals') ? await listOpenAppeals(store, Number.MAX_SAFE_INTEGER) : []
  const payments = wants('payments') ? await unplacedPayments(store, READ_MAX) : []
  const unread = payments.length === READ_MAX ? (await countUnplaced(store)) - READ_MAX : 0

  const open = new Map<number, { seriousness: number; since: number }>()
  const waits = (id: number, seriousness: number, at: number) => {
    const { seriousness: most, since } = open.get(id) ?? { seriousness, since: at }
    open.set(id, { seriousness: Math.min(seriousness, most), since: Math.min(at, since) })
  }
  for (const { listingId, seriousness, at } of [...reported, ...found]) waits(listingId, seriousness, at)
  const ids = await listingIds(store, [...new Set(payments.flatMap(({ slug }) => slug ?? []))])
  for (const { listingId, at } of appeals) if (listingId !== null) waits(listingId, AWAITED, at)
  for (const { slug, lastAt } of payments) if (slug !== null) waits(ids.get(slug) ?? 0, AWAITED, lastAt)

  const otherAppeals = appeals.filter(({ listingId }) => listingId === null)
  const otherPayments = payments.filter(({ slug }) => slug === null)
  const sorted = [...open].sort(([, a], [, b]) => a.seriousness - b.seriousness || a.since - b.since).map(([id]) => id)
  return {
    cases: await readCases(store, sorted.slice(0, CASES_SHOWN)),
    otherAppeals: await contestedIn(store, otherAppeals.slice(0, CASES_SHOWN)),
    otherPayments: otherPayments.slice(0, CASES_SHOWN),
    listings: open.size,
    waiting: open.size + otherAppeals.length + otherPayments.length + unread,
    reasons: await reasonsReported(store),
  }
}

/** The highest numbers of the reports and findings that an operator saw. */
type LastShown = Pick<Case, 'lastReport' | 'lastFinding'>

/**
 * Returns one listing with all its pending items.
 *
 * @param reports how many of them to show
 * @param seen what came later is left out
 */
export async function readCase(store: Store, listingId: number, reports: number, seen?: LastShown) {
  const [found] = await readCases(store, [listingId], reports, seen)
  return found
}

/** Returns the number of pending items of each kind. */
export async function countWaiting(store: Store): Promise<WaitingCounts> {
  const { rows } = await sql<Record<'reports' | 'findings' | 'appeals', number>>`
    select (select count(*) from report where "settledAt" is null) as reports,
      (select count(*) from finding where "settledAt" is null) as findings,
      (select count(*) from decision where ${isOpenAppeal}) as appeals`.execute(store.db)
  const [counts = { reports: 0, findings: 0, appeals: 0 }] = rows
  return { ...counts, payments: await countUnplaced(store) }
}

const reportedListings = ({ db }: Store, reason: string | undefined) =>
  db
    .selectFrom('report')
    .select(['listingId', eb => eb.fn.min('createdAt').as('at')])
    .select(sql<number>`min(${reportSeriousness})`.as('seriousness'))
    .where('settledAt', 'is', null)
    .$if(reason !== undefined, query => query.where('reason', '=', reason ?? ''))
    .groupBy('listingId')
    .execute()

const foundListings = ({ db }: Store) =>
  db
    .selectFrom('finding')
    .select(['listingId', eb => eb.fn.min('firstSeenAt').as('at')])
    .select(sql<number>`min(${findingSeriousness})`.as('seriousness'))
    .where('settledAt', 'is', null)
    .groupBy('listingId')
    .execute()

const reasonsReported = ({ db }: Store) =>
  db
    .selectFrom('report')
    .select(['reason', eb => eb.fn.countAll<number>().as('count')])
    .where('settledAt', 'is', null)
    .groupBy('reason')
    .orderBy(sql`min(${reportSeriousness})`)
    .orderBy('count', 'desc')
    .execute()

async function listingIds({ db }: Store, slugs: string[]): Promise<Map<string, number>> {
  if (slugs.length === 0) return new Map()
  const rows = await db.selectFrom('listing').select(['slug', 'id']).where('slug', 'in', slugs).execute()
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

const ALL: LastShown = { lastReport: Number.MAX_SAFE_INTEGER, lastFinding: Number.MAX_SAFE_INTEGER }

/** Returns listings with all their pending items, in the order of their ids. @param reportsShown how many of each to show */
export async function readCases(
  store: Store,
  ids: number[],
  reportsShown = REPORTS_SHOWN,
  { lastReport, lastFinding } = ALL,
): Promise<Case[]> {
  if (ids.length === 0) return []
  const { db } = store
  const among = sql.join(ids.map(id => sql`${id}`))
  const { rows: listings } = await sql<CaseListing>`
    select ${datedColumns}, listing.url, listing."hiddenAt", listing."hiddenBy", listing."hiddenReason"
    from listing ${joinPicture} where listing.id in (${among})`.execute(db)
  const { rows: reports } = await sql<OpenReport & { listingId: number }>`
    select * from (
      select *, row_number() over (partition by "listingId" order by nth, seriousness, id desc) as place from (
        select id, "listingId", reason, details, contact, "createdAt", ${reportSeriousness} as seriousness,
          row_number() over (partition by "listingId", reason order by id desc) as nth
        from report where "settledAt" is null and "listingId" in (${among}) and id <= ${lastReport}
      ) as ranked
    ) as open where place <= ${reportsShown} order by seriousness, id desc`.execute(db)
  const { rows: reasons } = await sql<{ listingId: number; reason: string; count: number; last: number }>`
    select "listingId", reason, count(*) as count, max(id) as last from report
    where "settledAt" is null and "listingId" in (${among}) and id <= ${lastReport} group by "listingId", reason
    order by count(*) desc, reason`.execute(db)
  const findings = await openFindings(store, READ_MAX, ids)
  const appeals = await contestedIn(store, await listOpenAppeals(store, READ_MAX, ids))
  const payments = await unplacedPayments(store, READ_MAX)
  const lasts = await Promise.all(ids.map(id => lastAct(db, id)))
  return ids.flatMap((id, place) => {
    const listing = listings.find(each => each.id === id)
    if (!listing) return []
    const ofIt = <T extends { listingId: number | null }>(rows: T[]) => rows.filter(({ listingId }) => listingId === id)
    const found = findings.filter(finding => finding.slug === listing.slug && finding.id <= lastFinding)
    return {
      // Pictures of hidden listings are not served.
      listing: { ...listing, id, ...(listing.hiddenAt !== null && { pictureVersion: null }) },
      reports: ofIt(reports),
      reasons: ofIt(reasons).map(({ reason, count }) => ({ reason, count })),
      lastReport: Math.max(0, ...ofIt(reasons).map(({ last }) => last)),
      findings: found,
      lastFinding: Math.max(0, ...found.map(each => each.id)),
      appeals: ofIt(appeals),
      payments: payments.filter(({ slug }) => slug === listing.slug),
      last: lasts[place],
    }
  })
}
