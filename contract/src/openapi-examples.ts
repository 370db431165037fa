import { APPROVAL_NOTICES, type Approval, type ApprovalBody } from './approvals.ts'
import type { BoardPage } from './boards.ts'
import { capabilitiesOf } from './capabilities.ts'
import type { Check, CheckBody } from './check.ts'
import type { AppealBody, DecisionStatement } from './decisions.ts'
import type { Draw } from './draws.ts'
import { ERRORS_PATH } from './error-help.ts'
import { ERRORS, type ErrorBody, type ErrorCode } from './errors.ts'
import {
  APPROVAL_LIFETIME_MS,
  CONTRACT_VERSION,
  DEFAULT_CHECK_LIMITS,
  DEFAULT_PUBLISH_LIMITS,
  DISPLAY_DAYS,
  MINIMUM_TARGET_USD,
} from './limits.ts'
import { EXAMPLE_LISTING } from './listings.ts'
import { publicExamples } from './openapi-listing-examples.ts'
import type { PublishBody, Receipt } from './publish.ts'
import type { Quote, QuoteBody } from './quote.ts'
import { REVIEW_REASONS } from './review-reasons.ts'
import type { SubmissionEvents, SubmissionStatus, SubmissionWebhook, SubmissionWebhookBody } from './submissions.ts'
import {
  APPROVAL_SCOPE,
  DECISIONS_PATH,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_PATH,
  SUBMISSIONS_PATH,
} from './wire.ts'

const BASE = 'https://placard.example.org'
const { id: listingId, slug, productUrl, title, description, category, url, publishedAt: NOON } = EXAMPLE_LISTING

const asked: CheckBody = { destination: url, category }

const published: Receipt = {
  requestId: '01991f3e-5c00-7a3b-9d51-3f2f8c6c2b10',
  status: 'published',
  productUrl,
  expiresAt: NOON + DISPLAY_DAYS * 24 * 60 * 60 * 1000,
  chargeCreated: false,
  paidRankingChanged: false,
  ownership: {
    sensitive: true,
    domainOwnershipVerified: false,
    privateRecoveryUrl: `${BASE}/manage/5b0e2a86-4f0c-4c6e-9a43-2d7d1b1f6f0a#owner=private`,
  },
  optionalPaidPlacement: {
    quoteEndpoint: BASE + QUOTE_PATH,
    minimumTargetUSD: MINIMUM_TARGET_USD,
    humanConfirmationRequired: true,
  },
  notice: 'The listing is live and free. Share productUrl only.',
}

const check: Check = {
  wouldPublish: true,
  destination: asked.destination,
  publishReply: { status: 201 },
  listing: { title, description },
  remaining: {
    ...DEFAULT_CHECK_LIMITS,
    ...attemptsOf(DEFAULT_PUBLISH_LIMITS),
    checksPerDayPerIp: 9,
    checksPerDayPerHost: 1,
  },
  remainingUntil: NOON + 12 * 60 * 60 * 1000,
  chargeCreated: false,
  notice: 'Nothing was published, reserved or charged.',
}

const approval: Approval = {
  code: 'vT1zQf8Xk2mL0pRb7cYd9A',
  approvalUrl: `${BASE}/approve/vT1zQf8Xk2mL0pRb7cYd9A`,
  status: 'waiting',
  destination: asked.destination,
  category: asked.category,
  expiresAt: NOON + APPROVAL_LIFETIME_MS,
  listing: { title, description },
  chargeCreated: false,
  notice: APPROVAL_NOTICES.waiting,
}

function attemptsOf({ requestsPerTenMinutesPerIp: _, ...attempts }: typeof DEFAULT_PUBLISH_LIMITS) {
  return attempts
}

const quote: Quote = {
  kind: 'non_binding_preview',
  currency: 'usd',
  chargeAmountCents: 2500,
  expiresAt: NOON + 5 * 60 * 1000,
  handoffUrl: `${BASE}/promote?destination=https%3A%2F%2Fwww.your-customer.example%2F&category=Developer+Tools&board=all&target=25`,
  humanConfirmationRequired: true,
  chargeCreated: false,
  estimatedRank: 3,
}

const capabilities = capabilitiesOf({
  limits: { ...DEFAULT_PUBLISH_LIMITS, ...DEFAULT_CHECK_LIMITS },
  agentGuide: `${BASE}/agent-guide.md`,
  available: true,
})

const board: BoardPage = {
  board: 'all',
  placement: 'paid',
  notice: 'Places on this board are paid for.',
  currency: 'usd',
  day: null,
  endsAt: null,
  entries: [
    {
      rank: 1,
      id: listingId,
      productUrl,
      title,
      totalCents: 2500,
      reachedAt: NOON,
      ownerVerifiedSince: null,
    },
  ],
  nextCursor: null,
}

/** Lines of a stream that changed little. */
const listingStream = [
  { site: BASE, license: 'https://placard.example.org/terms', updatedSince: NOON - 900_000, asOf: NOON },
  { id: 42, status: 'unavailable', since: NOON - 60_000 },
  { complete: true, rows: 1, updatedSince: NOON - 900_000 },
]
  .map(line => `${JSON.stringify(line)}\n`)
  .join('')

const draw: Draw = {
  day: '2026-09-07',
  drawnAt: Date.UTC(2026, 8, 7),
  notice: 'The lot of a listing is the SHA-256 of the seed, a zero byte and its slug.',
  algorithm: 1,
  seed: 'ef'.repeat(32),
  logSize: 48190,
  candidates: { count: 1, sha256: 'ab'.repeat(32), pages: 1, url: `${BASE}/draw/2026-09-07/candidates` },
  drawn: [
    {
      place: 1,
      id: listingId,
      slug,
      lot: '0c'.repeat(32),
      productUrl,
      title,
    },
  ],
}

const decision: DecisionStatement = {
  id: published.requestId,
  kind: 'refuse',
  decision: `The website was not listed. ${REVIEW_REASONS.parked_domain}`,
  decidedAt: NOON,
  decidedBy: 'automatic',
  automated: { detection: true, decision: true },
  about: { website: 'www.your-customer.example', requestId: published.requestId },
  reason: 'parked_domain',
  ground: {
    id: 'rules/review',
    version: 1,
    kind: 'rule',
    url: `${BASE}/rules`,
    text: 'A listing is a public web page.',
  },
  facts: {
    verdicts: [{ reviewer: 'page rules', version: '1', outcome: 'reject', reason: 'parked_domain' }],
    fetched: { url: 'https://www.your-customer.example/', sha256: 'ab'.repeat(32) },
  },
  factsSha256: 'cd'.repeat(32),
  scope: { territory: 'Everywhere.', duration: 'For this submission.' },
  contest: {
    isPossible: true,
    until: NOON + 184 * 24 * 60 * 60 * 1000,
    appealUrl: `${BASE}${DECISIONS_PATH}/${published.requestId}/appeal`,
    how: 'Say once why it is wrong. A person decides, free of charge.',
  },
  logIndex: 1204,
  chargeCreated: false,
}

const KEY = '3f0c8a52-6d1e-4b7a-9c35-8e2f4a6b1d90'

const submission: SubmissionStatus = {
  state: 'refused',
  repeatPublish: false,
  requestId: published.requestId,
  submittedAt: NOON,
  code: 'review_rejected',
  error: `${ERRORS.review_rejected.error} ${REVIEW_REASONS.parked_domain}`,
  reason: 'parked_domain',
  decisionId: decision.id,
  decisionUrl: `${BASE}${DECISIONS_PATH}/${decision.id}`,
  links: {
    publish: BASE + PUBLISH_PATH,
    events: `${BASE}${SUBMISSIONS_PATH}/${KEY}/events`,
    webhook: `${BASE}${SUBMISSIONS_PATH}/${KEY}/webhook`,
    support: `${BASE}/support`,
  },
  remaining: attemptsOf(DEFAULT_PUBLISH_LIMITS),
  remainingUntil: check.remainingUntil,
  chargeCreated: false,
  notice: 'The submission was refused. decisionUrl has the reasons, and how to appeal.',
}

/** Shortened: the lines of a real one are longer. */
const PROOF = `c2sp.org/tlog-proof@v1
extra eyJlbnRyeSI6IntcImluZGV4XCI6NzM4OTQsXCJraW5kXCI6XCJsaXN0ZWRcIn0ifQ==
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=

placard.example.org/log
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— placard.example.org/log hI2DJwAAAAA=
`

const submissionEvents: SubmissionEvents = {
  state: 'published',
  events: [
    {
      id: published.requestId,
      type: 'submission.published',
      at: NOON,
      reason: 'passed_review',
      decisionId: published.requestId,
      decisionUrl: `${BASE}${DECISIONS_PATH}/${published.requestId}`,
      productUrl,
      cursor: '1204-0-0~8c6c2b10',
    },
  ],
  nextCursor: '1204-0-0~8c6c2b10',
  hasMore: false,
  chargeCreated: false,
}

const statement = 'The domain is ours, and the page is our shop. It only says that it is for sale in an advertisement.'

/** An example of every body, by operation. */
export const EXAMPLES = {
  capabilities,
  check: { body: asked, example: check },
  askApproval: { body: { ...asked, agent: 'Mara’s assistant' } satisfies ApprovalBody, example: approval },
  approval: {
    params: { code: approval.code },
    headers: { Prefer: 'wait=25' },
    example: { ...approval, status: 'approved', notice: APPROVAL_NOTICES.approved } satisfies Approval,
  },
  publish: {
    headers: {
      [IDEMPOTENCY_HEADER]: KEY,
      [PROOF_HEADER]: '00'.repeat(32),
    },
    body: {
      ...asked,
      approval: { scope: APPROVAL_SCOPE, userApproved: true, rulesVersion: CONTRACT_VERSION },
    } satisfies PublishBody,
    example: published,
  },
  submission: { params: { key: KEY }, example: submission },
  submissionEvents,
  proof: PROOF,
  submissionWebhook: {
    body: { url: 'https://agent.example.net/placard' } satisfies SubmissionWebhookBody,
    example: {
      url: 'https://agent.example.net/placard',
      secret: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldA==',
      chargeCreated: false,
    } satisfies SubmissionWebhook,
  },
  decision: { params: { id: decision.id }, example: decision },
  appeal: {
    body: { statement } satisfies AppealBody,
    example: {
      ...decision,
      contest: { isPossible: false, how: 'An appeal was received. A person will decide it.' },
      appeal: { id: '01991f3e-6d00-7a3b-9d51-3f2f8c6c2b11', receivedAt: NOON, statement },
    } satisfies DecisionStatement,
  },
  quote: { body: { ...asked, board: 'all', targetBid: 25 } satisfies QuoteBody, example: quote },
  board,
  ...publicExamples(board),
  draw: { params: { day: draw.day }, example: draw },
  listingStream,
}

/** Returns an error as it is sent by the service at `base`. */
export function exampleOfError(code: ErrorCode, base: string = BASE): ErrorBody {
  const { error, status } = ERRORS[code]
  const { id } = decision
  return {
    code,
    error: code === 'review_rejected' ? `${error} ${REVIEW_REASONS.not_found}` : error,
    chargeCreated: false,
    ...(FIELDS[code] && { field: FIELDS[code] }),
    ...(code === 'review_rejected' && { reason: 'not_found' }),
    ...(status === 503 && { reason: code === 'review_unavailable' ? 'site_slow' : 'busy' }),
    ...([429, 503].includes(status) && { retryAfterSeconds: 30 }),
    ...(code === 'review_rejected' && { decisionId: id, decisionUrl: `${base}${DECISIONS_PATH}/${id}` }),
    ...(code === 'destination_already_listed' && { productUrl: `${base}/product/your-customer-example` }),
    documentationUrl: `${base}${ERRORS_PATH}/${code}`,
  }
}

const FIELDS: Partial<Record<ErrorCode, string>> = {
  invalid_body: 'approval.extra',
  invalid_idempotency_key: IDEMPOTENCY_HEADER,
  invalid_submission_secret: PROOF_HEADER,
  invalid_destination: 'destination',
  unknown_category: 'category',
  approval_required: 'approval.userApproved',
  invalid_approval_code: 'approval.approvalCode',
  rules_version_mismatch: 'approval.rulesVersion',
  invalid_board: 'board',
  invalid_target_bid: 'targetBid',
  target_not_above_current: 'targetBid',
  invalid_cursor: 'cursor',
  invalid_limit: 'limit',
  invalid_statement: 'statement',
  cross_origin_rejected: 'Origin',
  unsupported_media_type: 'Content-Type',
}
