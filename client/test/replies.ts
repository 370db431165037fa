/** A quote as a service sends it. */
export const QUOTE = {
  kind: 'non_binding_preview',
  currency: 'usd',
  chargeAmountCents: 2050,
  expiresAt: Date.UTC(2026, 8, 6, 12, 5),
  handoffUrl: 'https://placard.example.org/promote?destination=https%3A%2F%2Fshop.example.org',
  humanConfirmationRequired: true,
  chargeCreated: false,
  estimatedRank: 3,
}

/** Capabilities as a service sends them, with two categories. */
export const CAPABILITIES = {
  version: '2026-09-06',
  capabilities: { publicQuotes: true, freePublishing: true, unattendedPayments: false },
  categories: [
    { id: 'Developer Tools', label: 'Developer Tools' },
    { id: 'Games', label: 'Spiele' },
  ],
  paymentPolicy: {
    currency: 'usd',
    minimumTargetUSD: 5,
    minimumChargeCents: 100,
    apiCharges: false,
    humanConfirmationRequired: true,
    storedCards: false,
    rankSource: 'verified_payments',
  },
  endpoints: {
    capabilities: '/api/v1/agent/capabilities',
    freePublish: '/api/v1/agent/listings',
    quote: '/api/v1/agent/quote',
    check: '/api/v1/agent/check',
  },
  agentGuide: 'https://placard.example.org/agent-guide.md',
  publishingPolicy: {
    rulesVersion: '2026-09-06',
    explicitUserApprovalRequired: true,
    approvalScope: 'free_listing_publish',
    serverToServer: true,
    requestBodyMaxBytes: 4096,
    idempotencyHeader: 'Idempotency-Key',
    proofHeader: 'X-Submission-Secret',
    resume: 'Repeat the identical request.',
    domainOwnershipVerified: false,
    contentReviewRequired: true,
    paidRankingChanged: false,
    limits: {
      requestsPerTenMinutesPerIp: 30,
      newAttemptsPerDayPerIp: 4,
      newAttemptsPerDayPerHost: 4,
      newAttemptsPerDayGlobal: 100,
      checksPerDayPerIp: 10,
      checksPerDayPerHost: 2,
    },
  },
  discovery: {
    available: true,
    submissionEndsAt: '2026-12-31T23:59:00Z',
    displayDays: 60,
    paidRanking: false,
  },
}

/** A check as a service sends it, of what a publish would accept. */
export const CHECK = {
  wouldPublish: true,
  destination: 'https://shop.example.org/about',
  publishReply: { status: 201 },
  listing: {
    title: 'A shop',
    description: 'It sells things.',
    imageUrl: 'https://shop.example.org/picture.png',
  },
  remaining: {
    newAttemptsPerDayPerIp: 4,
    newAttemptsPerDayPerHost: 4,
    newAttemptsPerDayGlobal: 100,
    checksPerDayPerIp: 9,
    checksPerDayPerHost: 1,
  },
  remainingUntil: Date.UTC(2026, 8, 7),
  chargeCreated: false,
  notice: 'Nothing was published.',
}

/** A refusal as a service sends it, after its appeal was decided. */
export const DECISION = {
  id: '0199a0b0-0000-7000-8000-00000000000d',
  kind: 'refuse',
  decision: 'The website was not listed.',
  decidedAt: Date.UTC(2026, 8, 6),
  decidedBy: 'automatic',
  automated: { detection: true, decision: true },
  about: {
    website: 'shop.example.org',
    requestId: '0199a0b0-0000-7000-8000-00000000000d',
    productUrl: 'https://placard.example.org/product/shop',
    decision: '0199a0b0-0000-7000-8000-00000000000e',
  },
  reason: 'parked_domain',
  ground: {
    id: 'rules/review',
    version: 1,
    kind: 'rule',
    text: 'Only pages in use are listed.',
    url: 'https://placard.example.org/rules',
  },
  facts: { explanation: 'It is for sale.' },
  factsSha256: 'ab'.repeat(32),
  scope: { territory: 'Everywhere.', duration: 'For this submission.' },
  contest: {
    isPossible: false,
    until: Date.UTC(2027, 2, 9),
    appealUrl: 'https://placard.example.org/api/v1/agent/decisions/0199a0b0/appeal',
    how: 'The appeal was decided.',
  },
  appeal: {
    id: '0199a0b0-0000-7000-8000-00000000000f',
    receivedAt: Date.UTC(2026, 8, 7),
    statement: 'It is a shop.',
    outcome: {
      id: '0199a0b0-0000-7000-8000-000000000010',
      result: 'reversed',
      explanation: 'So it is.',
      decidedAt: Date.UTC(2026, 8, 8),
    },
  },
  logSize: 12,
  chargeCreated: false,
}
