import { checkCategory, checkDestination, fieldsOf, optionalText } from '../check.ts'
import { aborted, usageError } from '../error.ts'
import { beginSubmission } from './begin.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import type { Publication } from './publication.ts'
import type { Approval } from './record.ts'

/** What to publish. Set `userApproved` to true only after the customer's explicit yes. */
export interface PublishRequest {
  destination: string
  /** An English category ID from `capabilities`. */
  category: string
  userApproved: boolean
  /** Saved with the submission: how the yes was asked for, and who gave it. */
  approval?: Approval
}

/** See `PlacardClient.publish`. */
export async function publish(request: PublishRequest, options: DeliverOptions): Promise<Publication> {
  const { destination, category, approval } = checkRequest(request)
  if (options.signal?.aborted) throw aborted('usage')
  const wanted = { service: options.service, destination, category }
  const { submission, resumed } = await beginSubmission(options.store, wanted, approval)
  return deliver(submission, resumed, options)
}

function checkRequest(request: PublishRequest) {
  const { destination, category, userApproved, approval } = fieldsOf('The request', request)
  if (userApproved !== true) {
    throw usageError(
      'approval_required',
      'Publishing needs the customer’s explicit yes to this destination and a public listing.',
      'Ask the customer first; set userApproved (--user-approved) only after an explicit yes.',
      'userApproved',
    )
  }
  checkDestination(destination)
  checkCategory(category)
  return { destination, category, approval: approvalFrom(approval) }
}

/** Returns the approval that a caller declares. Throws `invalid_option`. */
export function approvalFrom(given: unknown): Approval {
  const { how, by, code } = given === undefined ? {} : fieldsOf('approval', given)
  const giver = optionalText('approval.by', by)
  const approvalCode = optionalText('approval.code', code)
  return {
    how: optionalText('approval.how', how) ?? 'userApproved',
    ...(giver === undefined ? {} : { by: giver }),
    ...(approvalCode === undefined ? {} : { code: approvalCode }),
  }
}
