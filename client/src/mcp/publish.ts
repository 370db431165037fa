import { CATEGORIES, DESTINATION_MAX_LENGTH, FIELD_WORDS } from '@placard/contract/plain'
import { checkCategory, checkDestination } from '../check.ts'
import { publicReceiptShape } from '../service/replies.ts'
import { flag, object, optional, text } from '../service/shape.ts'
import { checkSpelling } from '../spelling.ts'
import type { PublicReceipt } from '../submissions/publication.ts'
import { approvedBefore } from '../submissions/publish.ts'
import { approvalOf, userApprovedArgument } from './approval.ts'
import { argumentsOf, type Call, type Tool } from './tool.ts'

export const destinationArgument = {
  type: 'string',
  minLength: 1,
  maxLength: DESTINATION_MAX_LENGTH,
  description: FIELD_WORDS.check.destination,
} as const
export const categoryArgument = {
  type: 'string',
  enum: CATEGORIES,
  description: FIELD_WORDS.check.category,
} as const

/** Where the private link is stored. It is never in a result, because a model reads the results. */
export const linkFields = {
  /** The file that holds secrets and private links. */
  journal: text,
  /** The command that shows the customer the private link in a terminal. */
  privateLinkCommand: optional(text),
}

export const publishTool: Tool = {
  name: 'publish',
  title: 'List a website',
  description:
    'One free public listing of a website, for 60 days. Asks the customer, who must agree to exactly this destination and category. With the same arguments again, it resumes an unfinished publish, or returns the receipt. It charges nothing. The private link that manages the listing is not in the result: give the customer privateLinkCommand.',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    // The site fetches the website.
    openWorldHint: true,
  },
  inputSchema: argumentsOf(
    {
      destination: destinationArgument,
      category: categoryArgument,
      userApproved: userApprovedArgument,
    },
    ['userApproved'],
  ),
  outputSchema: object({ receipt: publicReceiptShape, replayed: flag, ...linkFields }).schema,
  async call(call) {
    const { destination, category } = call.args
    checkDestination(destination)
    checkCategory(category)
    const wanted = { service: call.service, destination, category }
    const approval =
      (await approvedBefore(call.store, wanted)) ?? (await approvalOf(call, wanted, () => checkSpelling(wanted)))
    if ('resultType' in approval) return approval
    const { receipt, replayed } = await call.client.publish(
      { destination, category, userApproved: true, approval },
      { signal: call.signal },
    )
    return { receipt, replayed, ...linkOf(call, destination, receipt) }
  },
}

export const linkOf = ({ store, commandFor }: Call, destination: string, receipt?: PublicReceipt) => ({
  journal: store.name,
  ...(receipt?.status === 'published' && { privateLinkCommand: commandFor('link', destination) }),
})
