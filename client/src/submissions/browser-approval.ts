import { APPROVAL_STATUSES } from '@placard/contract/plain'
import { previewShape } from '../service/replies.ts'
import { address, type Of, object, only, optional, text, whole } from '../service/shape.ts'

export const approvalShape = object({
  /** For `approval: { code }` of the publish. */
  code: text,
  /** For the customer only: they answer there. */
  approvalUrl: address,
  status: only(...APPROVAL_STATUSES),
  destination: address,
  category: text,
  /** Until then, it can be answered and used. Unix milliseconds. */
  expiresAt: whole,
  /** What the customer is shown. Absent if the page could not be read. */
  listing: optional(previewShape),
  chargeCreated: only(false),
  notice: text,
})
/** A request for the customer's approval in a browser, and its answer. */
export type BrowserApproval = Of<typeof approvalShape>
