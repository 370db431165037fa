import Type, { type Static } from 'typebox'
import { CATEGORIES } from './categories.ts'
import { errorResponses } from './errors.ts'
import {
  BODY_MAX_BYTES,
  type CheckLimits,
  CONTRACT_VERSION,
  DISPLAY_DAYS,
  MINIMUM_CHARGE_CENTS,
  MINIMUM_TARGET_USD,
  type PublishLimits,
} from './limits.ts'
import {
  APPROVAL_SCOPE,
  APPROVALS_PATH,
  CAPABILITIES_PATH,
  CHECK_PATH,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_PATH,
} from './wire.ts'

/** What the service offers right now (spec 2.4). */
export const Capabilities = Type.Object(
  {
    version: Type.Literal(CONTRACT_VERSION),
    capabilities: Type.Object({
      publicQuotes: Type.Literal(true),
      freePublishing: Type.Literal(true),
      unattendedPayments: Type.Literal(false),
    }),
    categories: Type.Array(Type.Object({ id: Type.String(), label: Type.String() })),
    paymentPolicy: Type.Object({
      currency: Type.Literal('usd'),
      minimumTargetUSD: Type.Literal(MINIMUM_TARGET_USD, { type: 'integer' }),
      minimumChargeCents: Type.Literal(MINIMUM_CHARGE_CENTS, { type: 'integer' }),
      apiCharges: Type.Literal(false),
      humanConfirmationRequired: Type.Literal(true),
      storedCards: Type.Literal(false),
      rankSource: Type.Literal('verified_payments'),
    }),
    endpoints: Type.Object({
      capabilities: Type.Literal(CAPABILITIES_PATH),
      freePublish: Type.Literal(PUBLISH_PATH),
      quote: Type.Literal(QUOTE_PATH),
      check: Type.Optional(Type.Literal(CHECK_PATH, { description: 'The dry run. Missing if the service has none.' })),
      approvals: Type.Optional(
        Type.Literal(APPROVALS_PATH, {
          description:
            'Where to ask for the customer’s approval in a browser. Missing if the service has no such page.',
        }),
      ),
    }),
    agentGuide: Type.String({ format: 'uri' }),
    publishingPolicy: Type.Object({
      rulesVersion: Type.Literal(CONTRACT_VERSION),
      explicitUserApprovalRequired: Type.Literal(true),
      approvalScope: Type.Literal(APPROVAL_SCOPE),
      serverToServer: Type.Literal(true),
      requestBodyMaxBytes: Type.Literal(BODY_MAX_BYTES, { type: 'integer' }),
      idempotencyHeader: Type.Literal(IDEMPOTENCY_HEADER),
      proofHeader: Type.Literal(PROOF_HEADER),
      resume: Type.String(),
      domainOwnershipVerified: Type.Literal(false),
      contentReviewRequired: Type.Literal(true),
      paidRankingChanged: Type.Literal(false),
      limits: Type.Object({
        requestsPerTenMinutesPerIp: Type.Integer(),
        newAttemptsPerDayPerIp: Type.Integer(),
        newAttemptsPerDayPerHost: Type.Integer(),
        newAttemptsPerDayGlobal: Type.Integer(),
        checksPerDayPerIp: Type.Optional(Type.Integer()),
        checksPerDayPerHost: Type.Optional(Type.Integer()),
      }),
    }),
    discovery: Type.Object({
      available: Type.Boolean({ description: 'Whether new free submissions are open now.' }),
      submissionEndsAt: Type.Optional(Type.String({ format: 'date-time' })),
      displayDays: Type.Literal(DISPLAY_DAYS, { type: 'integer' }),
      paidRanking: Type.Literal(false),
    }),
  },
  { title: 'Capabilities' },
)
export type Capabilities = Static<typeof Capabilities>

export const capabilitiesSchema = {
  operationId: 'getServiceCapabilities',
  summary: 'What the service offers now: categories, limits, policy',
  description: 'The live source of everything that may change. Read it before each submission.',
  tags: ['agent'],
  response: {
    200: { ...Capabilities, description: 'The live contract version, categories, limits and offer.' },
    304: { type: 'null', description: 'Unchanged since the ETag in If-None-Match.' },
    ...errorResponses(['invalid_request', 'internal_error']),
  },
} as const

interface Offer {
  limits: PublishLimits & CheckLimits
  agentGuide: string
  /** Unix milliseconds; undefined if the submission window has no end. */
  submissionsEndAt?: number | undefined
  /** Whether new submissions are accepted. */
  available: boolean
}

/** Returns the capabilities of a service: what differs between services, and everything that the contract fixes. */
export function capabilitiesOf({ limits, agentGuide, submissionsEndAt, available }: Offer): Capabilities {
  return {
    version: CONTRACT_VERSION,
    capabilities: { publicQuotes: true, freePublishing: true, unattendedPayments: false },
    categories: CATEGORIES.map(id => ({ id, label: id })),
    paymentPolicy: {
      currency: 'usd',
      minimumTargetUSD: MINIMUM_TARGET_USD,
      minimumChargeCents: MINIMUM_CHARGE_CENTS,
      apiCharges: false,
      humanConfirmationRequired: true,
      storedCards: false,
      rankSource: 'verified_payments',
    },
    endpoints: {
      capabilities: CAPABILITIES_PATH,
      freePublish: PUBLISH_PATH,
      quote: QUOTE_PATH,
      check: CHECK_PATH,
      approvals: APPROVALS_PATH,
    },
    agentGuide,
    publishingPolicy: {
      rulesVersion: CONTRACT_VERSION,
      explicitUserApprovalRequired: true,
      approvalScope: APPROVAL_SCOPE,
      serverToServer: true,
      requestBodyMaxBytes: BODY_MAX_BYTES,
      idempotencyHeader: IDEMPOTENCY_HEADER,
      proofHeader: PROOF_HEADER,
      resume:
        'After a timeout, a lost response, 429 or 503, repeat the request with the original key, secret and body. The same request recovers the receipt for the life of the listing.',
      domainOwnershipVerified: false,
      contentReviewRequired: true,
      paidRankingChanged: false,
      limits: {
        requestsPerTenMinutesPerIp: limits.requestsPerTenMinutesPerIp,
        newAttemptsPerDayPerIp: limits.newAttemptsPerDayPerIp,
        newAttemptsPerDayPerHost: limits.newAttemptsPerDayPerHost,
        newAttemptsPerDayGlobal: limits.newAttemptsPerDayGlobal,
        checksPerDayPerIp: limits.checksPerDayPerIp,
        checksPerDayPerHost: limits.checksPerDayPerHost,
      },
    },
    discovery: {
      available,
      ...(submissionsEndAt !== undefined && { submissionEndsAt: new Date(submissionsEndAt).toISOString() }),
      displayDays: DISPLAY_DAYS,
      paidRanking: false,
    },
  }
}
