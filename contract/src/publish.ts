import Type, { type Static } from 'typebox'
import { CategoryId } from './category-id.ts'
import { errorResponses } from './errors.ts'
import { CONTRACT_VERSION, DESTINATION_MAX_LENGTH, MINIMUM_TARGET_USD } from './limits.ts'
import { FIELD_WORDS } from './tool-words.ts'
import {
  APPROVAL_CODE_PATTERN,
  APPROVAL_SCOPE,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  PROOF_HEADER,
  RECEIPT_STATUSES,
  SUBMISSION_SECRET_PATTERN,
} from './wire.ts'

export const PublishBody = Type.Object(
  {
    destination: Type.String({
      maxLength: DESTINATION_MAX_LENGTH,
      description: FIELD_WORDS.check.destination,
    }),
    category: CategoryId,
    approval: Type.Object(
      {
        scope: Type.Literal(APPROVAL_SCOPE),
        userApproved: Type.Literal(true, {
          description: 'True only after the customer’s explicit yes.',
        }),
        rulesVersion: Type.Literal(CONTRACT_VERSION),
        approvalCode: Type.Optional(
          Type.String({
            pattern: APPROVAL_CODE_PATTERN,
            description: 'If the customer approved in a browser: the code of that approval.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { title: 'PublishBody', additionalProperties: false },
)
/**
 * Exported next to its schema, and named by routes. Callers other than Fastify need it, too, so no type provider infers
 * it.
 */
export type PublishBody = Static<typeof PublishBody>

const uri = (description: string) => Type.String({ format: 'uri', description })

/** The answer to a publish, first or repeated (spec 2.1). */
export const Receipt = Type.Object(
  {
    requestId: Type.String({ description: 'Identifies this submission. It grants no access.' }),
    status: Type.Enum([...RECEIPT_STATUSES], { type: 'string' }),
    productUrl: uri('Public page of the listing: the only address to share.'),
    expiresAt: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Unix milliseconds, or null if no end is scheduled. A repeat never renews it.',
    }),
    chargeCreated: Type.Literal(false),
    paidRankingChanged: Type.Literal(false),
    ownership: Type.Object({
      sensitive: Type.Literal(true),
      domainOwnershipVerified: Type.Literal(false),
      privateRecoveryUrl: Type.Optional(
        uri('Private management link, only while published. Never publish, log or share it.'),
      ),
      recoveryUnavailable: Type.Optional(
        Type.Boolean({
          description: 'True if no private link can be given, usually because the listing is not published.',
        }),
      ),
      supportUrl: Type.Optional(uri('Where to ask if no private link is given.')),
    }),
    optionalPaidPlacement: Type.Optional(
      Type.Object({
        quoteEndpoint: uri('Address of the quote operation.'),
        minimumTargetUSD: Type.Literal(MINIMUM_TARGET_USD, { type: 'integer' }),
        humanConfirmationRequired: Type.Literal(true),
      }),
    ),
    approval: Type.Optional(
      Type.Literal('browser', {
        description: 'The approval was given in a browser. Absent if the agent alone declared it.',
      }),
    ),
    notice: Type.String(),
  },
  { title: 'Receipt' },
)
export type Receipt = Static<typeof Receipt>

/** The headers of a submission. The handler reads them before the body. */
export const PublishHeaders = Type.Object({
  [IDEMPOTENCY_HEADER]: Type.String({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: 'Random UUID version 4, one per submission.',
  }),
  [PROOF_HEADER]: Type.String({
    pattern: SUBMISSION_SECRET_PATTERN,
    description:
      '32 random bytes in hex, made by the client for this one submission. Not an account key. Keep it private.',
  }),
})

export const publishSchema = {
  operationId: 'publishServiceFreeListing',
  summary: 'Publish one free listing, or recover its receipt',
  description:
    'Send once the customer has said yes. Repeat the identical request (key, secret, body) to recover the receipt. Never charges.',
  tags: ['agent'],
  body: PublishBody,
  response: {
    201: { ...Receipt, description: 'Published now.' },
    200: {
      ...Receipt,
      description: 'Published earlier by the identical request, with the current status.',
    },
    ...errorResponses([
      'invalid_request',
      'invalid_json',
      'invalid_body',
      'invalid_idempotency_key',
      'invalid_submission_secret',
      'invalid_destination',
      'unknown_category',
      'approval_required',
      'invalid_approval_code',
      'rules_version_mismatch',
      'cross_origin_rejected',
      'idempotency_conflict',
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
      'review_unavailable',
      'publication_unconfirmed',
    ]),
  },
} as const
