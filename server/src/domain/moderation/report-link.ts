import { hash, randomBytes } from 'node:crypto'
import type { Db } from '../../platform/db/store.ts'

/** Returns the key of the link to a report's outcome, and the hash of it that is stored. */
export function newReportKey(): { key: string; keyHash: string } {
  const key = randomBytes(KEY_BYTES).toString('base64url')
  return { key, keyHash: hashOfReportKey(key) }
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
