import type { ItemWords } from '../notifications/operator/message.ts'
import { unplacedText } from '../payments/unplaced.ts'
import { type FindingKind, findingText } from './findings.ts'
import type { ReportReason } from './reports.ts'

/** Returns the reason of a report in one or two words. */
export const shortReason = (reason: string): string => SHORT[reason as keyof typeof SHORT] ?? reason

const SHORT: Record<ReportReason | 'failed_review', string> = {
  scam: 'Scam',
  misleading: 'Untrue',
  malicious: 'Dangerous',
  adult: 'Adult content',
  copyright: 'Copyright',
  unwanted: 'Unwanted',
  other: 'Something else',
  failed_review: 'Fails review',
}

/** The decisions that can be appealed. */
const APPEALED: Readonly<Record<string, string>> = {
  refuse: 'Refused',
  hide: 'Hidden',
  settle: 'Report settled',
  term: 'Ended early',
}

/** Returns the code of a pending item in the words of the console. */
export const itemWords: ItemWords = (kind, what) => {
  if (kind === 'report') return shortReason(what)
  if (kind === 'finding') return findingText(what as FindingKind) ?? what
  if (kind === 'appeal') return `Appeal against: ${APPEALED[what] ?? what}`
  return kind === 'payment' ? unplacedText(what) : what
}
