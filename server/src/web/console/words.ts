import { REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import { type Decision, type LastAct, operatorOf } from '../../domain/decisions/record.ts'
import { isFlag } from '../../domain/listings/flags.ts'
import type { Case, WaitingCounts } from '../../domain/moderation/console/queue.ts'
import { findingText, type OpenFinding } from '../../domain/moderation/findings.ts'
import { FAILED_REVIEW, REPORT_REASONS, type ReportReason } from '../../domain/moderation/reports.ts'
import { CONTESTED } from '../../domain/ownership/site-owner.ts'
import { counted } from '../../platform/lib/text.ts'

export const reportReason = (reason: string): string =>
  reason === FAILED_REVIEW ? 'Its page no longer passes review' : (REPORT_REASONS[reason as ReportReason] ?? reason)

/** For operators: a listing that is `unavailable` to others was hidden, by its owner or an operator. */
export const STATUS_WORDS = { published: 'Published', expired: 'Ended', unavailable: 'Hidden' } as const

export const reportsOf = ({ reasons }: Case): number => reasons.reduce((sum, { count }) => sum + count, 0)

/** The pending items of a listing, in one line. */
export function whyOf(found: Case): string {
  const { reasons, findings, appeals, payments } = found
  const counts = { findings: findings.length, appeals: appeals.length, payments: payments.length }
  const rest = waitingWords({ reports: 0, ...counts })
  const [most] = reasons
  if (!most) return rest.join(' · ')
  const forWhat = reasons.length > 1 ? ` for ${reasons.length} reasons, mostly` : ''
  return [`${counted(reportsOf(found), 'report')}${forWhat}: ${reportReason(most.reason)}`, ...rest].join(' · ')
}

export const countItems = ({ reports, findings, appeals, payments }: WaitingCounts): number =>
  reports + findings + appeals + payments

/** How many of each kind are open, without those of which there are none. */
export const waitingWords = ({ reports, findings, appeals, payments }: WaitingCounts): string[] =>
  Object.entries({ report: reports, finding: findings, appeal: appeals, 'unmatched payment': payments })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => counted(count, what))

/** The explanation recorded with a one-tap action. Owner and reporters can read it. */
export function explanationOf(act: 'hide' | 'keep' | 'restore', found: Case): string {
  if (act === 'restore') return 'Reviewed again and restored'
  if (act === 'keep') return 'Reviewed and left unchanged'
  const [report] = found.reasons
  const [finding] = found.findings
  if (report)
    return `${report.reason === FAILED_REVIEW ? '' : 'Reported, and confirmed: '}${reportReason(report.reason)}`
  if (!finding) return 'Taken down by the operator'
  const reason = reviewReasonIn(finding)
  if (isFlag(finding.kind)) return `Flagged by review, and confirmed: ${REVIEW_REASONS[reason ?? 'policy']}`
  return `${finding.kind === CONTESTED ? '' : 'Found on recheck: '}${findingText(finding.kind)}`
}

/** The review reason of a one-tap action. */
export function codeOf({ reasons: [first], findings: [found] }: Case): ReviewReason {
  if (first) return first.reason === 'malicious' ? 'malicious' : first.reason === 'adult' ? 'adult_content' : 'policy'
  return (found && reviewReasonIn(found)) ?? 'policy'
}

const reviewReasonIn = ({ evidence: { reason } }: OpenFinding): ReviewReason | undefined =>
  typeof reason === 'string' && Object.hasOwn(REVIEW_REASONS, reason) ? (reason as ReviewReason) : undefined

export const whoDid = (actor: LastAct['actor']): string => operatorOf(actor) ?? NAMES[actor] ?? actor

const NAMES: Record<string, string> = {
  automatic: 'the service',
  owner: 'the owner',
  reporter: 'a visitor',
}

/** An action as a verb, such as "hid it". */
export function whatDid({ kind, reason }: Pick<LastAct, 'kind' | 'reason'>): string {
  if (kind === 'hide') return 'hid it'
  if (kind === 'restore') return 'restored it'
  if (kind === 'settle') return reason === 'listing_hidden' ? 'settled its reports, hidden' : 'left it up'
  if (kind === 'settle_finding') return 'settled its findings'
  if (kind === 'term') return reason === 'ended' ? 'ended it' : 'changed its end'
  return 'decided about it'
}

/** A decision as text: in a few words, and its meaning if that says more. */
export interface DecisionWords {
  what: string
  /** A sentence without its full stop. */
  means?: string | undefined
}

/** Returns the words for a decision. */
export function wordsFor({ kind, reason, facts }: Pick<Decision, 'kind' | 'reason' | 'facts'>): DecisionWords {
  switch (kind) {
    case 'accept':
      return { what: 'Listed' }
    case 'refuse':
      return { what: 'Refused', means: reviewReason(reason) }
    case 'hide':
      if (reason === 'withdrawn') return { what: 'Withdrawn' }
      return { what: 'Hidden', means: reviewReason(reason) }
    case 'restore':
      return { what: 'Restored', ...(reason === 'reversed' && { means: 'An appeal was granted' }) }
    case 'term':
      return { what: TERMS[reason] ?? 'End changed' }
    case 'report':
      return { what: 'Reported', means: reportReason(reason) }
    case 'settle':
      return { what: 'Report settled', means: OUTCOMES[reason] }
    case 'settle_finding':
      return { what: 'Finding settled', means: findingIn(facts) ?? OUTCOMES[reason] }
    case 'outcome':
      return { what: APPEALS[reason] ?? 'Appeal decided' }
    case 'renew':
      return { what: reason === 'reissued' ? 'Private link reissued' : 'Private link renewed' }
    case 'prove':
      return { what: PROOFS[reason] ?? 'Website proven' }
    default:
      return { what: OTHERS[kind] }
  }
}

const TERMS: Readonly<Record<string, string>> = {
  ended: 'Ended early',
  extended: 'Given more days',
  undone: 'Change of the end undone',
}
const OUTCOMES: Readonly<Record<string, string>> = {
  listing_hidden: 'The listing is hidden',
  listing_kept: 'The listing stays up',
}
const APPEALS: Readonly<Record<string, string>> = {
  upheld: 'Appeal rejected',
  reversed: 'Appeal granted',
  reopened: 'Opened again',
}
const PROOFS: Readonly<Record<string, string>> = {
  claimed: 'Claimed by a proof of the website',
  verified: 'Owner verified',
  waits: 'Claimed by someone else, who must wait',
  contested: 'Claim contested by the owner',
  lost: 'Owner no longer verified',
}
const OTHERS = {
  refresh: 'Page read again',
  category: 'Moved to another category',
  settle_payment: 'Payment settled',
  block: 'Host blocked',
  unblock: 'Host unblocked',
  pick: 'Picked',
  unpick: 'No longer picked',
  exclude: 'Left out of the draws',
  include: 'Included in the draws',
  appeal: 'Appealed',
} as const

const reviewReason = (reason: string): string | undefined => {
  if (reason === 'illegal') return 'It is against the law'
  return REVIEW_REASONS[reason as ReviewReason]?.split('. ')[0]?.replace(/\.$/, '')
}

/** What was found, as long as the facts are kept. */
function findingIn(facts: string | null): string | undefined {
  const { finding } = JSON.parse(facts ?? '{}') as { finding?: Parameters<typeof findingText>[0] }
  return finding && findingText(finding)
}
