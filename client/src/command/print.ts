import type { PlacardError } from '../error.ts'
import { shellWord, utcText } from '../service/text.ts'
import type { Publication } from '../submissions/publication.ts'
import type { SubmissionStatus } from '../submissions/recover.ts'
import { runnable } from './npx.ts'

const EXIT_CODES = { refused: 1, usage: 2, postponed: 3, unknown: 3 } as const

/** Returns the exit code of an error. */
export const exitCodeOf = (error: PlacardError): number => EXIT_CODES[error.kind]

/** Returns a receipt as text, and where its private link is stored. */
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
    ...(privateLink ? [`Private link  not shown here; stored in ${journal}`] : []),
    '',
    inCommandWords(receipt.notice),
  ]
}

/** Returns what `publish` and `resume` print with --json: never the private link. */
export const publicationJson = ({ receipt, replayed, decisionId }: Publication) => ({
  receipt,
  replayed,
  ...(decisionId !== undefined && { decisionId }),
})

/** Returns a submission's last known state as a sentence. */
export function stateText(status: SubmissionStatus): string {
  const { state, approvedAt, answeredAt, code, reopened, receipt } = status
  const answered = answeredAt === undefined ? '' : ` (${utcText(Date.parse(answeredAt))})`
  const why = code === undefined ? '' : `: ${code}`
  if (state === 'accepted')
    return receipt ? `${receipt.status}: ${receipt.productUrl}${answered}` : `accepted${answered}`
  if (state === 'refused') return `refused${why}${answered}`
  if (reopened) return 'an appeal reversed its refusal: publish it again to send the same submission'
  if (state === 'postponed') return `not accepted so far${why}${answered}`
  if (code !== undefined) return `unfinished${why}${answered}; it may have been accepted`
  return `unfinished: sent, or about to be, at ${utcText(Date.parse(approvedAt))}; its answer is not known`
}

/** Returns what the customer can do about the decision on a refusal or a hidden listing; nothing without a decision. */
export function decisionText({ decisionId, destination, state, reopened, appeal }: SubmissionStatus): string[] {
  if (decisionId === undefined || reopened) return []
  const word = shellWord(destination)
  const why = `  reasons  ${runnable(`placard-agent decision ${word}`)}`
  const contest = `  appeal   ${runnable(`placard-agent appeal ${word}`)}`
  if (appeal?.state === 'received') return [`Decision ${decisionId}, appealed`, why]
  if (appeal?.state === 'unknown') return [`Decision ${decisionId}, appeal started but not confirmed`, why, contest]
  // The owner may have withdrawn the listing, which cannot be appealed. `decision` knows, and names the appeal otherwise.
  if (state === 'accepted') return [`Decision ${decisionId}`, why]
  return [`Decision ${decisionId}`, why, `${contest} --statement "WHY IT IS WRONG"`]
}

/** Returns the message of an error, and its codes. */
export function failureText({ error, status, code, field = '', reason }: PlacardError): string {
  const option = OPTION_OF[field] ?? field
  const words = option && error.startsWith(`${field} `) ? option + error.slice(field.length) : error
  return `${inCommandWords(words)} (${[status, code, option, reason].filter(Boolean).join(' ')})`
}

/** The options that set a field of the API, if their names differ. */
const OPTION_OF: Partial<Record<string, string>> = {
  agent: '--ask-as',
  targetBid: '--target',
  userApproved: '--user-approved',
}

/** Phrases of the service that name parts of the API, and the phrases for a person who typed a command. */
const COMMAND_WORDS: readonly (readonly [api: string, typed: string])[] = [
  ['Read them from GET /api/v1/agent/capabilities.', `To list them, run ${runnable('placard-agent capabilities')}.`],
  ['with POST /api/v1/agent/approvals', 'with --ask-as'],
  ['by the API (appealUrl)', `with ${runnable('placard-agent appeal')}`],
  ['Share productUrl only.', 'Share the public page only.'],
  ['Give privateRecoveryUrl to', 'Give the private link to'],
]

/** Returns a text of the service for the command line. Leaves out how long to wait, which is printed after it. */
export function inCommandWords(text: string): string {
  const from = text.indexOf(' Wait retryAfterSeconds')
  const to = from < 0 ? from : text.indexOf('. ', from)
  const shown = from < 0 ? text : text.slice(0, from) + (to < 0 ? '' : text.slice(to + 1))
  return COMMAND_WORDS.reduce((words, [api, typed]) => words.replace(api, typed), shown)
}
