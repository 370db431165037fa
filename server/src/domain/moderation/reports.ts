import { hash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import { clientHash } from '../../platform/http/client-address.ts'
import { plainText } from '../../platform/lib/text.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { recordDecision } from '../decisions/record.ts'
import { reportSeriousness } from '../notifications/operator/waiting.ts'
import type { ServiceKeys, StoreAndKeys } from '../ownership/service-keys/service-keys.ts'

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
export const FAILED_REVIEW = 'failed_review'

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

/** If a network sends the same words again within this time, both are one report. */
const SENT_AGAIN_MS = 10 * MINUTE_MS

/**
 * Stores a visitor's report, each field as one plain line. About the visitor, it stores only a contact that they gave
 * and, while the report is open, the keyed hash of their network. A report in the same words that the network sent just
 * before, as with a double click, is returned again. One without words could be anyone's, and its link is private.
 *
 * @returns the decision that records it, and the key of the link to its outcome; undefined if this network already has
 * the maximum of open reports
 */
export function addReport(
  { store, serviceKeys }: StoreAndKeys,
  listingId: number,
  report: Report,
  network: string,
  now: number,
): Promise<{ decisionId: string; key: string } | undefined> {
  const details = plainText(report.details, DETAILS_MAX_LENGTH)
  const contact = plainText(report.contact, CONTACT_MAX_LENGTH)
  const networkHash = clientHash(network, serviceKeys.newest.secret)
  return store.transact(async trx => {
    // On PostgreSQL, two concurrent reports would not count each other.
    if (trx.engine === 'postgres')
      await trx.selectFrom('listing').select('id').where('id', '=', listingId).forNoKeyUpdate().execute()
    const open = await trx
      .selectFrom('report')
      .select(['decisionId', 'reason', 'details', 'contact', 'createdAt', 'keyHash'])
      .where('listingId', '=', listingId)
      .where('networkHash', '=', networkHash)
      .where('settledAt', 'is', null)
      .limit(OPEN_REPORTS_MAX)
      .execute()
    const same = open.find(
      one =>
        details !== '' &&
        one.reason === report.reason &&
        one.details === details &&
        one.contact === contact &&
        Math.abs(now - one.createdAt) < SENT_AGAIN_MS,
    )
    const sent = same?.decisionId && reportLink(serviceKeys, same.decisionId)
    // Earlier versions made keys that cannot be made again.
    if (sent && same.keyHash === sent.keyHash) return sent
    if (open.length === OPEN_REPORTS_MAX) return undefined
    const added = reportLink(serviceKeys, uuidv7())
    await putReport(trx, listingId, { ...report, ...added, networkHash }, now)
    return added
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
  await putReport(trx, listingId, { ...FAILED_REVIEW_REPORT, decisionId: uuidv7(), details }, now)
}

/** It has no reporter, and so no link and no network. */
const FAILED_REVIEW_REPORT = { reason: FAILED_REVIEW, contact: '', keyHash: null, networkHash: null }

type NewReport = Omit<Report, 'reason'> & {
  decisionId: string
  reason: string
  keyHash: string | null
  networkHash: string | null
}

async function putReport(
  trx: Trx,
  listingId: number,
  { decisionId, reason, details, contact, keyHash, networkHash }: NewReport,
  now: number,
): Promise<string> {
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

/**
 * Returns the decision that records a report, the key of the link to its outcome, and the hash of it that is stored. The
 * service key makes the same key again for a report that is sent twice.
 */
export function reportLink({ newest }: ServiceKeys, decisionId: string) {
  const key = newest.secret.derive(`placard report ${decisionId}`).reveal().toString('base64url', 0, KEY_BYTES)
  return { decisionId, key, keyHash: hashOfReportKey(key) }
}

const hashOfReportKey = (key: string): string => hash('sha256', key)

/** Returns whether a part of an address may be such a key. */
export const isReportKey = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{22}$/.test(text)

const KEY_BYTES = 16

export interface FoundReport {
  reason: string
  createdAt: number
  /** The decision that settled it; null while it is open. */
  settledBy: string | null
  /** Whether an appeal reopened it. */
  isReopened: boolean
}

/** Returns the report that a reporter's link leads to. */
export async function findReport(db: Db, key: string): Promise<FoundReport | undefined> {
  if (!isReportKey(key)) return undefined
  const report = await db
    .selectFrom('report')
    .leftJoin('decision as settled', join =>
      join.onRef('settled.about', '=', 'report.decisionId').on('settled.kind', '=', 'settle'),
    )
    .leftJoin('decision as recorded', 'recorded.id', 'report.decisionId')
    .select(['report.reason', 'createdAt', 'settled.id as settledBy', 'recorded.reason as recordedReason'])
    .where('keyHash', '=', hashOfReportKey(key))
    .executeTakeFirst()
  return report && { ...report, isReopened: report.recordedReason === 'reversed' }
}
