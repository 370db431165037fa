import { CATEGORIES, DESTINATION_MAX_LENGTH } from '@placard/contract/plain'
import { checkCategory, checkDestination } from '../check.ts'
import { type PlacardError, usageError } from '../error.ts'
import { askApproval, takeApproval } from '../file-store/approvals.ts'
import { publicReceiptShape } from '../service/replies.ts'
import { flag, object, optional, text } from '../service/shape.ts'
import { utcText } from '../service/text.ts'
import { checkSpelling } from '../spelling.ts'
import { approvalText } from '../submissions/approval-text.ts'
import { approvedBefore } from '../submissions/approved-before.ts'
import type { PublicReceipt } from '../submissions/publication.ts'
import type { Approval } from '../submissions/record.ts'
import type { Wanted } from '../submissions/submission.ts'
import { type InputRequiredResult, inputRequired } from './sdk.ts'
import { argumentsOf, type Call, type Tool } from './tool.ts'

export const destinationArgument = {
  type: 'string',
  minLength: 1,
  maxLength: DESTINATION_MAX_LENGTH,
  description: 'Address of a public website, as a browser shows it.',
} as const
export const categoryArgument = {
  type: 'string',
  enum: CATEGORIES,
  description: 'The category that suits it.',
} as const

/** Where the private link is. It is never in a result, since a model reads along. */
export const linkFields = {
  /** The file that holds secrets and private links. */
  journal: text,
  /** What the customer types in a terminal to see the private link. */
  privateLinkCommand: optional(text),
}

export const publishTool: Tool = {
  name: 'publish',
  title: 'List a website',
  description:
    'One free public listing of a website, for 60 days. Asks the customer, who has to agree to just this destination and category. Again with the same arguments, it resumes what was cut short, or gives the receipt again. It charges nothing. The private link that manages the listing is not in the result: give the customer privateLinkCommand.',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    // The board fetches the website.
    openWorldHint: true,
  },
  inputSchema: argumentsOf(
    {
      destination: destinationArgument,
      category: categoryArgument,
      userApproved: {
        type: 'boolean',
        description:
          'True only after the customer’s explicit yes to this destination and category. It counts only where the customer has set it so; otherwise they are asked.',
      },
    },
    ['userApproved'],
  ),
  outputSchema: object({ receipt: publicReceiptShape, replayed: flag, ...linkFields }).schema,
  async call(call) {
    const { destination, category } = call.args
    checkDestination(destination)
    checkCategory(category)
    const wanted = { service: call.service, destination, category }
    const approval = await approvalOf(call, wanted)
    if ('resultType' in approval) return approval
    const { receipt, replayed } = await call.client.publish(
      { destination, category, userApproved: true, approval },
      { signal: call.signal },
    )
    return { receipt, replayed, ...linkOf(call, destination, receipt) }
  },
}

/** Where the private link of a receipt is. */
export const linkOf = ({ store, commandFor }: Call, destination: string, receipt?: PublicReceipt) => ({
  journal: store.name,
  ...(receipt?.status === 'published' && { privateLinkCommand: commandFor('link', destination) }),
})

/** The customer's yes, or the question for it. Throws `approval_required` where nobody can be asked, and `declined`. */
async function approvalOf(call: Call, wanted: Wanted): Promise<Approval | InputRequiredResult> {
  const { store, args, trustsModel, answered, questions, capabilities } = call
  const given = (await approvedBefore(store, wanted)) ?? (await approvedInTerminal(store.name, wanted))
  if (given) return given
  if (trustsModel && args.userApproved === true) return { how: 'the model’s word, as set by the person' }
  const about = JSON.stringify(wanted)
  if (answered?.about === about) {
    if (answered.accepted?.approve === true) return { how: 'asked through MCP' }
    throw declined()
  }
  checkSpelling(wanted)
  // A program that names no mode has forms.
  const { elicitation } = capabilities
  const hasForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined)
  return hasForms ? questions.ask(formFor(wanted), about) : throwing(await nobodyToAsk(call, wanted))
}

async function approvedInTerminal(journal: string, wanted: Wanted): Promise<Approval | undefined> {
  const taken = await takeApproval(journal, wanted)
  return taken && { how: 'approved in the terminal', ...(taken.by !== undefined && { by: taken.by }) }
}

const formFor = (wanted: Wanted) =>
  inputRequired.elicit({
    message: `${approvalText(wanted).join('\n')}\n\nOnly the customer may say yes.`,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Publish this listing', description: 'It is public at once.' },
      },
      required: ['approve'],
    },
  })

const declined = () =>
  usageError(
    'declined',
    'The customer did not agree. Nothing was published.',
    'Ask what they want changed. Do not publish again unless they say so.',
  )

async function nobodyToAsk({ store, commandFor }: Call, wanted: Wanted): Promise<PlacardError> {
  const { code, expiresAt } = await askApproval(store.name, wanted)
  return usageError(
    'approval_required',
    'Nothing was published: the customer has to agree, and this program cannot ask them.',
    `Ask the customer to run this in a terminal of theirs: ${commandFor('approve', code)} . After their yes, publish again with the same arguments. The code counts once, until ${utcText(expiresAt)}.`,
  )
}

function throwing(error: PlacardError): never {
  throw error
}
