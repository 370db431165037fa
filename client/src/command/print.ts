import type { PlacardError } from '../error.ts'
import { utcText } from '../service/text.ts'
import type { Publication } from '../submissions/publication.ts'
import type { SubmissionStatus } from '../submissions/recover.ts'

const EXIT_CODES = { refused: 1, usage: 2, postponed: 3, unknown: 3 } as const

/** The exit code that an error stands for. */
export const exitCodeOf = (error: PlacardError): number => EXIT_CODES[error.kind]

/** A receipt for people to read, and where its private link is. */
export function receiptText({ receipt, replayed, privateLink }: Publication, journal: string): string[] {
  return [
    receipt.status === 'published'
      ? replayed
        ? 'Published earlier.'
        : 'Published.'
      : `The listing is ${receipt.status}.`,
    '',
    `Public page   ${receipt.productUrl}`,
    `Shown until   ${receipt.expiresAt === null ? 'no scheduled end' : utcText(receipt.expiresAt)}`,
    `Request       ${receipt.requestId}`,
    ...(receipt.ownership.supportUrl ? [`Support       ${receipt.ownership.supportUrl}`] : []),
    ...(privateLink ? [`Private link  not shown here; kept in ${journal}`] : []),
    '',
    receipt.notice,
  ]
}

/** A submission's state in a sentence, as last heard. */
export function stateText({ state, approvedAt, answeredAt, code, receipt }: SubmissionStatus): string {
  const heard = answeredAt === undefined ? '' : ` (${utcText(Date.parse(answeredAt))})`
  const why = code === undefined ? '' : `: ${code}`
  if (state === 'accepted')
    return receipt ? `${receipt.status}: ${receipt.productUrl}${heard}` : `accepted${heard}`
  if (state === 'refused') return `refused${why}${heard}`
  if (state === 'postponed') return `not accepted so far${why}${heard}`
  return `unfinished${why}: sent, or about to be, at ${utcText(Date.parse(approvedAt))}; its answer is not known`
}

/** What happened, and the codes for looking it up. */
export function failureText({ error, status, code, field, reason }: PlacardError): string {
  return `${error} (${[status, code, field, reason].filter(Boolean).join(' ')})`
}
