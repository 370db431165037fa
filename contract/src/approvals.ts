import Type, { type Static } from 'typebox'
import { CheckBody } from './check.ts'
import { errorResponses } from './errors.ts'
import { AGENT_NAME_MAX_LENGTH, APPROVAL_WAIT_MAX_SECONDS } from './limits.ts'
import { APPROVAL_CODE_PATTERN, APPROVAL_STATUSES, type ApprovalStatus } from './wire.ts'

/** What the customer is asked: what a publish would send, and who asks. */
export const ApprovalBody = Type.Object(
  {
    ...CheckBody.properties,
    agent: Type.String({
      minLength: 1,
      maxLength: AGENT_NAME_MAX_LENGTH,
      description: 'The name by which the customer knows you. The page shows it as unverified.',
    }),
  },
  { title: 'ApprovalBody', additionalProperties: false },
)
export type ApprovalBody = Static<typeof ApprovalBody>

const uri = (description: string) => Type.String({ format: 'uri', description })

/** A request for the customer's approval in a browser, and its answer. */
export const Approval = Type.Object(
  {
    code: Type.String({ description: 'For approval.approvalCode of the publish. Anyone with it can answer.' }),
    approvalUrl: uri('Give this address to the customer, and to nobody else. They answer there.'),
    status: Type.Enum([...APPROVAL_STATUSES], {
      type: 'string',
      description:
        'waiting: no answer yet. approved: publish with this code. used: a submission has this approval. declined and expired: nothing may be published with it.',
    }),
    destination: uri('What is asked for. The publish must name the same destination.'),
    category: Type.String(),
    expiresAt: Type.Integer({ description: 'Until then, it can be answered and used. Unix milliseconds.' }),
    listing: Type.Optional(
      Type.Object(
        { title: Type.String(), description: Type.String(), imageUrl: Type.Optional(uri('The picture of the page.')) },
        { description: 'What the customer is shown, as in a check. Left out if the page could not be read.' },
      ),
    ),
    chargeCreated: Type.Literal(false),
    notice: Type.String({ description: 'What to do next.' }),
  },
  { title: 'Approval' },
)
export type Approval = Static<typeof Approval>

/** What each status means for the agent. */
export const APPROVAL_NOTICES: Record<ApprovalStatus, string> = {
  waiting:
    'Give approvalUrl to the customer, and wait: GET /api/v1/agent/approvals/{code} with Prefer: wait=25. Only the customer may answer there.',
  approved: 'Publish this destination and category now, with approval.approvalCode set to this code.',
  declined: 'The customer declined. Do not publish. Ask again only if the customer wants you to.',
  expired: 'The time to answer and publish is over. Ask again with POST /api/v1/agent/approvals.',
  used: 'A submission has this approval. Repeat that submission unchanged to get its receipt, or why it was refused.',
}

export const ApprovalParams = Type.Object({
  code: Type.String({ pattern: APPROVAL_CODE_PATTERN, description: 'The code of the request.' }),
})

export const ApprovalHeaders = Type.Object({
  Prefer: Type.Optional(
    Type.String({
      description: `wait=${APPROVAL_WAIT_MAX_SECONDS} returns as soon as there is an answer, at the latest after that many seconds.`,
    }),
  ),
})

export const askApprovalSchema = {
  operationId: 'askForApproval',
  summary: 'Ask the customer for approval in a browser',
  description:
    'Returns an address for the customer, who sees there what would be listed, and approves or declines. Publishes, reserves and charges nothing. It reads the page like a check, and counts as one. What a publish would refuse is refused here, so that no customer is asked in vain. The answer is no proof of identity: a program on the customer’s computer could open the address, too.',
  tags: ['agent'],
  body: ApprovalBody,
  response: {
    201: { ...Approval, description: 'The customer can answer now.' },
    ...errorResponses([
      'invalid_request',
      'invalid_json',
      'invalid_body',
      'invalid_destination',
      'unknown_category',
      'cross_origin_rejected',
      'destination_already_listed',
      'submissions_closed',
      'body_too_large',
      'unsupported_media_type',
      'review_rejected',
      'rate_limited',
      'quota_ip',
      'quota_host',
      'quota_global',
      'internal_error',
      'not_ready',
    ]),
  },
} as const

export const approvalSchema = {
  operationId: 'getApproval',
  summary: 'Read or await the customer’s answer',
  description:
    'Send Prefer: wait=25 to wait for the answer. If too many requests of your network wait already, the reply comes at once, without Preference-Applied: ask again after a few seconds.',
  tags: ['agent'],
  response: {
    200: { ...Approval, description: 'The request, and its answer if there is one.' },
    ...errorResponses([
      'invalid_request',
      'cross_origin_rejected',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ]),
  },
} as const
