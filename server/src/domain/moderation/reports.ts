import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Actor } from '../../platform/db/tables/decisions.ts'
import { plainText } from '../../platform/lib/text.ts'
import { operatorNamed, recordDecision, recordDecisions } from '../decisions/record.ts'
import { reportSeriousness } from '../notifications/operator/seriousness.ts'
import { NAMELESS } from './moderate.ts'
import { newReportKey } from './report-link.ts'

/** Reasons that a visitor can select, by stored id. */
export const REPORT_REASONS = {
  scam: 'Scam or fraud: it tricks people out of money',
  misleading: 'It says something untrue, or pretends to be someone else',
  malicious: 'It is dangerous: it steals passwords or spreads malware',
  adult: 'It is adult content',
  copyright: 'It uses someone else’s text or pictures without permission',
  unwanted: 'It is my website, and I don’t want it listed',
  other: 'Something else',
} as const

export type ReportReason = keyof typeof REPORT_REASONS

/** A reason that only the service uses. The form does not offer it. */
const FAILED_REVIEW = 'failed_review'

/** In UTF-16 units, as browsers count. */
export const DETAILS_MAX_LENGTH = 1000
export const CONTACT_MAX_LENGTH = 200

export interface Report {
  reason: ReportReason
  details: string
  /** How to reach the reporter; empty if they gave nothing. */
  contact: string
}

/**
 * The maximum number of open reports of one listing from one network. More would say nothing new, and hide those of
 * others.
 */
export const OPEN_REPORTS_MAX = 10

/**
 * Stores a visitor's report, each field as one plain line. About the visitor, it stores only a contact that they gave
 * and, while the report is open, the keyed hash of their network.
 *
 * @returns the decision that records it, and the key of the link to its outcome; undefined if this network already has
 * the maximum of open reports
 */
export function addReport(
  store: Store,
  listingId: number,
  report: Report,
  networkHash: string,
  now: number,
): Promise<{ decisionId: string; key: string } | undefined> {
  const { key, keyHash } = newReportKey()
  return store.transact(async trx => {
    // On PostgreSQL, two concurrent reports would not count each other.
    if (trx.engine === 'postgres')
      await trx.selectFrom('listing').select('id').where('id', '=', listingId).forNoKeyUpdate().execute()
    const open = await trx
      .selectFrom('report')
      .select('id')
      .where('listingId', '=', listingId)
      .where('networkHash', '=', networkHash)
      .where('settledAt', 'is', null)
      .limit(OPEN_REPORTS_MAX)
      .execute()
    if (open.length === OPEN_REPORTS_MAX) return undefined
    const decisionId = await putReport(trx, listingId, { ...report, keyHash, networkHash }, now)
    return { decisionId, key }
  })
}

/**
 * Reports to the operator that a listing's page no longer passes review: once, until that report is settled. The caller
 * must have locked the listing's row, so that two at once make one report.
 */
export async function reportFailedReview(trx: Trx, listingId: number, details: string, now: number): Promise<void> {
  const open = await trx
    .selectFrom('report')
    .select('id')
    .where('listingId', '=', listingId)
    .where('reason', '=', FAILED_REVIEW)
    .where('settledAt', 'is', null)
    .executeTakeFirst()
  if (open) return
  await putReport(trx, listingId, { ...FAILED_REVIEW_REPORT, details }, now)
}

/** It has no reporter, and so no link and no network. */
const FAILED_REVIEW_REPORT = { reason: FAILED_REVIEW, contact: '', keyHash: null, networkHash: null }

type NewReport = Omit<Report, 'reason'> & {
  reason: string
  keyHash: string | null
  networkHash: string | null
}

async function putReport(
  trx: Trx,
  listingId: number,
  { reason, details, contact, keyHash, networkHash }: NewReport,
  now: number,
): Promise<string> {
  const decisionId = uuidv7()
  const { id } = await trx
    .insertInto('report')
    .values({
      listingId,
      reason,
      details: plainText(details, DETAILS_MAX_LENGTH),
      contact: plainText(contact, CONTACT_MAX_LENGTH),
      createdAt: now,
      settledAt: null,
      settlement: null,
      decisionId,
      keyHash,
      networkHash,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  // The reporter's words stay only in the report, which is deleted later.
  return recordDecision(trx, {
    id: decisionId,
    kind: 'report',
    listingId,
    reportId: id,
    ground: 'rules/reports',
    reason,
    facts: {},
    actor: keyHash === null ? 'automatic' : 'reporter',
    at: now,
  })
}

/** Returns open reports, the most serious first, then the oldest. */
export function openReports(store: Store, count: number) {
  return store.db
    .selectFrom('report')
    .innerJoin('listing', 'listing.id', 'report.listingId')
    .select(['report.id', 'createdAt', 'slug', 'reason', 'details', 'contact'])
    .where('settledAt', 'is', null)
    .orderBy(reportSeriousness)
    .orderBy('report.id')
    .limit(count)
    .execute()
}

/** The result of settling a report. `settlement` is the stored text: the first one, if it was already settled. */
interface Settled {
  slug: string
  settlement: string
  changed: boolean
}

/**
 * Closes a report with the operator's note, and records that.
 *
 * @returns undefined if there is no such report
 */
export function settleReport(
  store: Store,
  id: number,
  settlement: string,
  now: number,
  actor: Actor = operatorNamed(NAMELESS),
): Promise<Settled | undefined> {
  return store.transact(async trx => {
    const settled = await settleWhere(trx, sql`id = ${id}`, { settlement, now, actor })
    const report = await trx
      .selectFrom('report')
      .innerJoin('listing', 'listing.id', 'report.listingId')
      .select(['slug', sql<string>`coalesce(settlement, '')`.as('settlement')])
      .where('report.id', '=', id)
      .executeTakeFirst()
    return report && { ...report, changed: settled.length > 0 }
  })
}

/**
 * Closes all open reports of a listing, up to the last one that the operator saw, and records each.
 *
 * @returns their numbers
 */
export function settleReportsOf(
  store: Store,
  { listingId, lastReport }: { listingId: number; lastReport: number },
  by: { settlement: string; now: number; actor: Actor },
): Promise<number[]> {
  return store.transact(trx => settleWhere(trx, sql`"listingId" = ${listingId} and id <= ${lastReport}`, by))
}

/** Settles reports in one statement, however many there are, and deletes their networks. */
async function settleWhere(
  trx: Trx,
  where: RawBuilder<unknown>,
  { settlement, now, actor }: { settlement: string; now: number; actor: Actor },
): Promise<number[]> {
  const settled = await trx
    .updateTable('report')
    .set({ settledAt: now, settlement, networkHash: null })
    .where('settledAt', 'is', null)
    .where(sql<boolean>`${where}`)
    .returning(['id', 'listingId', 'decisionId'])
    .execute()
  const [first] = settled
  if (!first) return []
  const { hiddenAt } = await trx
    .selectFrom('listing')
    .select('hiddenAt')
    .where('id', '=', first.listingId)
    .executeTakeFirstOrThrow()
  await recordDecisions(
    trx,
    settled.map(({ id, listingId, decisionId }) => ({
      kind: 'settle',
      listingId,
      reportId: id,
      ground: 'rules/reports',
      ...(decisionId !== null && { about: decisionId }),
      reason: hiddenAt === null ? 'listing_kept' : 'listing_hidden',
      facts: { explanation: settlement },
      actor,
      at: now,
    })),
  )
  return settled.map(({ id }) => Number(id))
}

/**
 * Reopens reports that an operator settled by mistake, unless they were appealed or reopened since.
 *
 * @returns how many it reopened
 */
export function reopenSettled(
  store: Store,
  ids: readonly number[],
  explanation: string,
  now: number,
  actor: Actor,
): Promise<number> {
  return store.transact(async trx => {
    const settled = await trx
      .selectFrom('report')
      .innerJoin('decision as settle', join =>
        join.onRef('settle.about', '=', 'report.decisionId').on('settle.kind', '=', 'settle'),
      )
      .leftJoin('decision as answer', join =>
        join.onRef('answer.about', '=', 'settle.id').on('answer.kind', 'in', ['appeal', 'outcome']),
      )
      .select(['settle.id', 'settle.listingId', 'report.id as reportId'])
      .where('report.id', 'in', ids)
      .where('report.settledAt', 'is not', null)
      .where('answer.id', 'is', null)
      .$if(trx.engine === 'postgres', query => query.orderBy('report.id').forUpdate('report'))
      .execute()
    if (settled.length === 0) return 0
    await recordDecisions(
      trx,
      settled.map(({ id, listingId, reportId }) => ({
        kind: 'outcome',
        ...(listingId !== null && { listingId }),
        reportId,
        about: id,
        ground: 'rules/reports',
        reason: 'reopened',
        facts: { explanation },
        actor,
        at: now,
      })),
    )
    await trx
      .updateTable('report')
      .set(report => ({
        settledAt: null,
        settlement: null,
        decisionId: report
          .selectFrom('decision as settle')
          .innerJoin('decision as outcome', 'outcome.about', 'settle.id')
          .select('outcome.id')
          .whereRef('settle.about', '=', 'report.decisionId')
          .where('settle.kind', '=', 'settle')
          .where('outcome.kind', '=', 'outcome'),
      }))
      .where(
        'id',
        'in',
        settled.map(({ reportId }) => reportId),
      )
      .execute()
    return settled.length
  })
}

/** Reopens a settled report after an appeal. @param decisionId of the appeal's outcome */
export async function reopenReport(trx: Trx, id: number, decisionId: string): Promise<void> {
  await trx.updateTable('report').set({ settledAt: null, settlement: null, decisionId }).where('id', '=', id).execute()
}
