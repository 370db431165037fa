import { asPlacardError, type PlacardError, usageError } from '../error.ts'
import { utcText } from '../service/text.ts'
import type { Approval } from '../submissions/record.ts'
import type { Wanted } from '../submissions/submission.ts'
import { type InputRequiredResult, inputRequired } from './sdk.ts'
import type { AskedInBrowser, Call } from './tool.ts'

/**
 * Returns the approval that the customer gave in a browser, or the question that leads them there. If they were asked
 * before, it waits for the answer. Opening the address is no answer: only the site knows that.
 *
 * Returns undefined if the site cannot ask now, or has no such page. Throws `declined`, `approval_required` while there
 * is no answer, and what a publish would be refused with.
 */
export async function approvalInBrowser(
  call: Call,
  wanted: Wanted,
  declined: PlacardError,
): Promise<Approval | InputRequiredResult | undefined> {
  const { client, signal, answered, askedInBrowser, capabilities, questions, program } = call
  const about = `in a browser: ${JSON.stringify(wanted)}`
  const known = askedInBrowser.get(about)
  if (known) {
    const isRefused = answered?.about === about && answered.accepted === undefined
    const status = isRefused ? 'declined' : (await client.approval(known.code, { signal })).status
    if (status === 'approved') return { how: 'approved in a browser', code: known.code }
    if (status === 'waiting') throw noAnswerYet(known)
    askedInBrowser.delete(about)
    if (status === 'declined') throw declined
  }
  const { destination, category } = wanted
  const asked = await client.askApproval({ destination, category, agent: program }, { signal }).catch(ifItCannotAsk)
  if (!asked) return undefined
  askedInBrowser.set(about, asked)
  if (capabilities.elicitation?.url === undefined) throw noAnswerYet(asked)
  const message = `Approve or decline the listing of ${destination} at ${asked.approvalUrl}`
  return questions.ask(inputRequired.elicitUrl({ message, url: asked.approvalUrl }), about)
}

/** A refusal of the listing itself is final. Everything else leaves the other ways to ask. */
function ifItCannotAsk(thrown: unknown): undefined {
  const error = asPlacardError(thrown, 'unknown')
  const isOfListing = ['destination_already_listed', 'submissions_closed', 'review_rejected'].includes(error.code)
  if (isOfListing || error.kind === 'usage' || error.code === 'invalid_destination') throw error
}

const noAnswerYet = ({ approvalUrl, expiresAt }: AskedInBrowser) =>
  usageError(
    'approval_required',
    'Nothing was published: the customer must agree, and has not answered yet.',
    `Give the customer this address, and nobody else: ${approvalUrl} . Once they have answered there, publish again with the same arguments: it waits for their answer. Never answer for them. It is open until ${utcText(expiresAt)}.`,
  )
