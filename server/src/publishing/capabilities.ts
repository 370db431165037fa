import {
  APPROVAL_SCOPE,
  BODY_MAX_BYTES,
  CAPABILITIES_PATH,
  CATEGORIES,
  type Capabilities,
  CHECK_PATH,
  type CheckLimits,
  CONTRACT_VERSION,
  capabilitiesSchema,
  DISPLAY_DAYS,
  IDEMPOTENCY_HEADER,
  MINIMUM_CHARGE_CENTS,
  MINIMUM_TARGET_USD,
  PROOF_HEADER,
  PUBLISH_PATH,
  type PublishLimits,
  QUOTE_PATH,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Links } from '../http/links.ts'
import { sendPublic, type Tagged, tagged } from '../http/send.ts'

interface CapabilitiesDependencies {
  limits: PublishLimits & CheckLimits
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
  links: Links
  clock: () => number
}

/** How long the reply may be cached, but never past the end of the window. */
const KEEP_SECONDS = 60

/** GET /api/v1/agent/capabilities (spec 4.2). */
export function capabilitiesRoute(app: FastifyInstance, deps: CapabilitiesDependencies): void {
  // The reply changes only when the window closes, so each of the two is serialised once.
  const serialised = new Map<boolean, Tagged>()
  app.get(CAPABILITIES_PATH, { schema: capabilitiesSchema }, async (request, reply) => {
    const leftMs = (deps.submissionsEndAt ?? Number.POSITIVE_INFINITY) - deps.clock()
    const available = leftMs > 0
    let body = serialised.get(available)
    if (body === undefined) {
      body = tagged(Buffer.from(JSON.stringify(capabilities(deps, available))))
      serialised.set(available, body)
    }
    const keepSeconds = available ? Math.min(KEEP_SECONDS, Math.floor(leftMs / 1000)) : KEEP_SECONDS
    return sendPublic(request, reply, body, {
      cache: `public, max-age=${keepSeconds}`,
      mediaType: 'application/json; charset=utf-8',
    })
  })
}

function capabilities(
  { limits, submissionsEndAt, links }: CapabilitiesDependencies,
  available: boolean,
): Capabilities {
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
    },
    agentGuide: links.agentGuide,
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
