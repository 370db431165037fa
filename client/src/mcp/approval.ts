import { asPlacardError, PlacardError, usageError } from '../error.ts'
import { askApproval, takeApproval } from '../file-store/approvals.ts'
import { utcText } from '../service/text.ts'
import { whenToRepeat } from '../submissions/advice.ts'
import { approvalText, approvalWords, isAppeal, type Wish } from '../submissions/approval-text.ts'
import type { Approval } from '../submissions/record.ts'
import type { Wanted } from '../submissions/submission.ts'
import { type InputRequiredResult, inputRequired } from './sdk.ts'
import type { AskedInBrowser, Call } from './tool.ts'

/**
 * Returns the customer's approval of exactly this, or the question for it. A listing is approved in a browser if the
 * program can open addresses or has no forms, and in a terminal if nothing else works. `check` runs before a person is
 * asked.
 *
 * Throws `declined`, and `approval_required` if no one can be asked.
 */
export async function approvalOf(
  call: Call,
  wish: Wish,
  check: () => void = () => {},
): Promise<Approval | InputRequiredResult> {
  const { store, args, trustsModel, answered, questions, capabilities } = call
  const taken = await takeApproval(store.name, wish)
  if (taken) return { how: 'approved in the terminal', ...(taken.by !== undefined && { by: taken.by }) }
  if (trustsModel && args.userApproved === true) return { how: 'the model’s word, as set by the person' }
  const about = JSON.stringify(wish)
  if (answered?.about === about) {
    if (answered.accepted?.approve === true) return { how: 'asked through MCP' }
    throw declined(wish)
  }
  check()
  // A program that names no mode supports forms.
  const { elicitation } = capabilities
  const hasForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined)
  let refusal: PlacardError | undefined
  if (!isAppeal(wish) && (elicitation?.url !== undefined || !hasForms)) {
    const found = await approvalInBrowser(call, wish, declined(wish))
    if (!(found instanceof PlacardError)) return found
    refusal = found
  }
  return hasForms ? questions.ask(formFor(wish), about) : throwing(await requestInTerminal(call, wish, refusal))
}

/** The argument by which a model says that the customer agreed. */
export const userApprovedArgument = {
  type: 'boolean',
  description:
    'True only after the customer’s explicit yes to exactly these arguments. It is used only if the customer has allowed that; otherwise, they are asked.',
} as const

const formFor = (wish: Wish) =>
  inputRequired.elicit({
    message: `${approvalText(wish).join('\n')}\n\nOnly the customer may say yes.`,
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', ...approvalWords(wish).form } },
      required: ['approve'],
    },
  })

const declined = (wish: Wish) =>
  usageError(
    'declined',
    `The customer did not agree. ${approvalWords(wish).nothing}.`,
    `Ask what they want changed. Do not ${approvalWords(wish).act} again unless they say so.`,
  )

/** Returns the error that leads to a terminal. `refusal` is why the site did not ask in a browser, if it was asked to. */
async function requestInTerminal(
  { store, commandFor }: Call,
  wish: Wish,
  refusal: PlacardError | undefined,
): Promise<PlacardError> {
  const { code, expiresAt } = await askApproval(store.name, wish)
  const { nothing, act } = approvalWords(wish)
  const isTemporary = refusal?.kind === 'postponed' || refusal?.kind === 'unknown'
  const why = isTemporary
    ? `the site cannot ask them in a browser now (${refusal.code})`
    : 'this program cannot ask them'
  const later = isTemporary ? ` Without a terminal, ${act} again ${whenToRepeat(refusal)}, to ask in a browser.` : ''
  return usageError(
    'approval_required',
    `${nothing}: the customer must agree, and ${why}.`,
    `Ask the customer to run this in a terminal: ${commandFor('approve', code)} . After their yes, ${act} again with the same arguments. The code is valid once, until ${utcText(expiresAt)}.${later}`,
  )
}

function throwing(error: PlacardError): never {
  throw error
}

/**
 * Returns the approval that the customer gave in a browser, or the question that leads them there. If they were asked
 * before, it waits for the answer. Opening the address is no answer: only the site knows that.
 *
 * Returns the site's error if it cannot ask now, or has no such page. Throws `declined`, `approval_required` while there
 * is no answer, and what a publish would be refused with.
 */
async function approvalInBrowser(
  call: Call,
  wanted: Wanted,
  declined: PlacardError,
): Promise<Approval | InputRequiredResult | PlacardError> {
  const { client, signal, answered, askedInBrowser, capabilities, questions, program } = call
  const about = `in a browser: ${JSON.stringify(wanted)}`
  const known = askedInBrowser.get(about)
  if (known) {
    const isRefused = answered?.about === about && answered.accepted === undefined
    const status = isRefused ? 'declined' : (await client.approval(known.code, { signal }).catch(ifItIsGone)).status
    if (status === 'approved') return { how: 'approved in a browser', code: known.code }
    if (status === 'waiting') throw noAnswerYet(known)
    askedInBrowser.delete(about)
    if (status === 'declined') throw declined
  }
  const { destination, category } = wanted
  const asked = await client.askApproval({ destination, category, agent: program }, { signal }).catch(ifItCannotAsk)
  if (asked instanceof PlacardError) return asked
  askedInBrowser.set(about, asked)
  if (capabilities.elicitation?.url === undefined) throw noAnswerYet(asked)
  const message = `Approve or decline the listing of ${destination} at ${asked.approvalUrl}`
  return questions.ask(inputRequired.elicitUrl({ message, url: asked.approvalUrl }), about)
}

const LISTING_REFUSALS = [
  'destination_already_listed',
  'invalid_destination',
  'review_rejected',
  'submissions_closed',
  'unknown_category',
]

/** Returns the error, which leaves the other ways to ask, unless the listing itself is refused. */
function ifItCannotAsk(thrown: unknown): PlacardError {
  const error = asPlacardError(thrown, 'unknown')
  if (error.kind === 'usage' || LISTING_REFUSALS.includes(error.code)) throw error
  return error
}

/** A site deletes requests that can no longer be used. */
function ifItIsGone(thrown: unknown) {
  if (asPlacardError(thrown, 'unknown').code === 'not_found') return { status: 'expired' }
  throw thrown
}

const noAnswerYet = ({ approvalUrl, expiresAt }: AskedInBrowser) =>
  usageError(
    'approval_required',
    'Nothing was published: the customer must agree, and has not answered yet.',
    `Give the customer this address, and nobody else: ${approvalUrl} . Once they have answered there, publish again with the same arguments: it waits for their answer. Never answer for them. It is open until ${utcText(expiresAt)}.`,
  )
