import type { Case } from '../../console/queue.ts'
import { FINDING_KINDS } from '../../continuity/score-change.ts'
import type { LastAct } from '../../decisions/last-act.ts'
import { operatorOf } from '../../decisions/record.ts'
import { REPORT_REASONS, type ReportReason } from '../../moderation/reports.ts'

export const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

export const reportReason = (reason: string): string =>
  reason === 'failed_review'
    ? 'Its page no longer passes review'
    : (REPORT_REASONS[reason as ReportReason] ?? reason)

export const reportsOf = ({ reasons }: Case): number => reasons.reduce((sum, { count }) => sum + count, 0)

/** What waits about a listing, in one line. */
export function whyOf(found: Case): string {
  const { reasons, findings, appeals, payments } = found
  const all = reportsOf(found)
  return [
    ...(all > 0 ? [`${counted(all, 'report')}: ${reportReason(reasons[0]?.reason ?? '')}`] : []),
    ...(findings.length > 0 ? [counted(findings.length, 'finding')] : []),
    ...(appeals.length > 0 ? [counted(appeals.length, 'appeal')] : []),
    ...(payments.length > 0 ? [counted(payments.length, 'unplaced payment')] : []),
  ].join(' · ')
}

/** What is recorded with an act in one tap, for owner and reporters to read. */
export function explanationOf(act: 'hide' | 'keep' | 'restore', found: Case): string {
  if (act === 'restore') return 'Looked at again, and restored'
  if (act === 'keep') return 'Looked at, and left as it is'
  const [report] = found.reasons
  const [finding] = found.findings
  if (report) return `Reported, and found to be so: ${reportReason(report.reason)}`
  return finding ? `Found when we looked again: ${FINDING_KINDS[finding.kind]}` : 'Taken down by the operator'
}

/** The review reason that an act in one tap stands for. */
export const codeOf = ({ reasons: [first] }: Case): string =>
  first?.reason === 'malicious' ? 'malicious' : first?.reason === 'adult' ? 'adult_content' : 'policy'

/** Whoever did something, as the console names them. */
export const whoDid = (actor: LastAct['actor']): string => operatorOf(actor) ?? `the ${NAMES[actor] ?? actor}`

const NAMES: Record<string, string> = { automatic: 'service' }

/** What somebody did, such as "hid it". */
export function whatDid({ kind, reason }: Pick<LastAct, 'kind' | 'reason'>): string {
  if (kind === 'hide') return 'hid it'
  if (kind === 'restore') return 'restored it'
  if (kind === 'settle') return reason === 'listing_hidden' ? 'settled its reports, hidden' : 'left it up'
  if (kind === 'settle_finding') return 'settled what was found'
  if (kind === 'term') return reason === 'ended' ? 'ended it' : 'changed its end'
  return 'decided something about it'
}
