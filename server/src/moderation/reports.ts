import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import { plainText } from '../reading/plain-text.ts'
import type { Actor } from '../storage/schema.ts'
import type { Store, Trx } from '../storage/store.ts'
import { NAMELESS } from './moderate.ts'
import { newReportKey } from './report-link.ts'

/** What a visitor can report, by stored id. */
export const REPORT_REASONS = {
  misleading: 'It says something untrue, or pretends to be someone else',
  malicious: 'It is dangerous: it steals passwords or spreads malware',
  adult: 'It is adult content',
  copyright: 'It uses somebody else’s text or pictures without permission',
  unwanted: 'It is my website, and I don’t want it listed',
  other: 'Something else',
} as const

export type ReportReason = keyof typeof REPORT_REASONS

/** Only the service reports this; the form does not offer it. */
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
 * Stores a visitor's report, each field as one plain line, and nothing about the visitor except a contact they gave.
 *
 * @returns the decision that records it, and the key of the link by which the reporter sees its outcome
 */
export async function addReport(
  store: Store,
  listingId: number,
  report: Report,
  now: number,
): Promise<{ decisionId: string; key: string }> {
  const { key, keyHash } = newReportKey()
  const decisionId = await store.transact(trx => putReport(trx, listingId, { ...report, keyHash }, now))
  return { decisionId, key }
}

/**
 * Reports to the operator that a listing's page no longer passes review: once, until that report is settled. The caller
 * must have locked the listing's row, so that two at once make one report.
 */
export async function reportFailedReview(
  trx: Trx,
  listingId: number,
  details: string,
  now: number,
): Promise<void> {
  const open = await trx
    .selectFrom('report')
    .select('id')
    .where('listingId', '=', listingId)
    .where('reason', '=', FAILED_REVIEW)
    .where('settledAt', 'is', null)
    .executeTakeFirst()
  if (open) return
  await putReport(trx, listingId, { reason: FAILED_REVIEW, details, contact: '', keyHash: null }, now)
}

async function putReport(
  trx: Trx,
  listingId: number,
  { reason, details, contact, keyHash }: Omit<Report, 'reason'> & { reason: string; keyHash: string | null },
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
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  // What was written stays in the report alone, which is deleted in time.
  return recordDecision(trx, {
    ...{
      id: decisionId,
      kind: 'report',
      listingId,
      reportId: id,
      ground: 'rules/reports',
      reason,
      facts: {},
    },
    ...{ actor: keyHash === null ? 'automatic' : 'reporter', at: now },
  })
}

/** Open reports, oldest first. */
export function openReports(store: Store, count: number) {
  return store.db
    .selectFrom('report')
    .innerJoin('listing', 'listing.id', 'report.listingId')
    .select(['report.id', 'createdAt', 'slug', 'reason', 'details', 'contact'])
    .where('settledAt', 'is', null)
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
 * Closes a report with what was done about it, and records that.
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
    const { numUpdatedRows } = await trx
      .updateTable('report')
      .set({ settledAt: now, settlement })
      .where('id', '=', id)
      .where('settledAt', 'is', null)
      .executeTakeFirst()
    const changed = numUpdatedRows === 1n
    const report = await trx
      .selectFrom('report')
      .innerJoin('listing', 'listing.id', 'report.listingId')
      .select(['listingId', 'slug', 'hiddenAt', 'decisionId'])
      .select(sql<string>`coalesce(settlement, '')`.as('settlement'))
      .where('report.id', '=', id)
      .executeTakeFirst()
    if (!report) return undefined
    if (changed) {
      await recordDecision(trx, {
        ...{ kind: 'settle', listingId: report.listingId, reportId: id, ground: 'rules/reports' },
        ...(report.decisionId !== null && { about: report.decisionId }),
        reason: report.hiddenAt === null ? 'listing_kept' : 'listing_hidden',
        ...{ facts: { explanation: settlement }, actor, at: now },
      })
    }
    return { slug: report.slug, settlement: report.settlement, changed }
  })
}

/** Opens a settled report again, since an appeal was decided so. @param decisionId of that decision */
export async function reopenReport(trx: Trx, id: number, decisionId: string): Promise<void> {
  await trx
    .updateTable('report')
    .set({ settledAt: null, settlement: null, decisionId })
    .where('id', '=', id)
    .execute()
}
