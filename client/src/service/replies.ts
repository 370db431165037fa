import {
  APPROVAL_SCOPE,
  APPROVALS_PATH,
  BODY_MAX_BYTES,
  CAPABILITIES_PATH,
  CHECK_PATH,
  CONTRACT_VERSION,
  DISPLAY_DAYS,
  IDEMPOTENCY_HEADER,
  MINIMUM_CHARGE_CENTS,
  MINIMUM_TARGET_USD,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_PATH,
  RECEIPT_STATUSES,
} from '@placard/contract/plain'
import {
  address,
  flag,
  list,
  type Of,
  object,
  only,
  optional,
  record,
  text,
  textOrNull,
  whole,
  wholeFrom,
  wholeOrNull,
} from './shape.ts'

// The contract's replies, without its library for schemas, which is a hundred times the size of this client. A test
// holds both against each other.

const receiptFields = {
  /** Identifies this submission. It grants no access. */
  requestId: text,
  status: only(...RECEIPT_STATUSES),
  /** Public page of the listing: the only address to share. */
  productUrl: address,
  /** Unix milliseconds, or null if no end is scheduled. A repeat never renews it. */
  expiresAt: wholeOrNull,
  chargeCreated: only(false),
  paidRankingChanged: only(false),
  optionalPaidPlacement: optional(
    object({
      quoteEndpoint: address,
      minimumTargetUSD: only(MINIMUM_TARGET_USD),
      humanConfirmationRequired: only(true),
    }),
  ),
  /** Present if the customer approved in a browser. */
  approval: optional(only('browser')),
  notice: text,
}
const ownershipFields = {
  sensitive: only(true),
  domainOwnershipVerified: only(false),
  /** True if no private link can be given, usually because the listing is not published. */
  recoveryUnavailable: optional(flag),
  /** Where to ask if no private link is given. */
  supportUrl: optional(address),
}

export const receiptShape = object({
  ...receiptFields,
  ownership: object({ ...ownershipFields, privateRecoveryUrl: optional(address) }),
})
/** A receipt without its private link. */
export const publicReceiptShape = object({ ...receiptFields, ownership: object(ownershipFields) })
/** The answer to a publish, as the service sends it. */
export type Receipt = Of<typeof receiptShape>

export const quoteShape = object({
  kind: only('non_binding_preview'),
  currency: only('usd'),
  /** What would be due: the target minus the verified bids on that board. */
  chargeAmountCents: wholeFrom(MINIMUM_CHARGE_CENTS),
  /** Unix milliseconds. */
  expiresAt: whole,
  /** Public prefilled form for a person. It does not authorise a payment. */
  handoffUrl: address,
  humanConfirmationRequired: only(true),
  chargeCreated: only(false),
  /** Conservative and not reserved. */
  estimatedRank: optional(wholeFrom(1)),
})
/** A non-binding price. */
export type Quote = Of<typeof quoteShape>

export const capabilitiesShape = object({
  version: only(CONTRACT_VERSION),
  capabilities: object({
    publicQuotes: only(true),
    freePublishing: only(true),
    unattendedPayments: only(false),
  }),
  categories: list(object({ id: text, label: text })),
  paymentPolicy: object({
    currency: only('usd'),
    minimumTargetUSD: only(MINIMUM_TARGET_USD),
    minimumChargeCents: only(MINIMUM_CHARGE_CENTS),
    apiCharges: only(false),
    humanConfirmationRequired: only(true),
    storedCards: only(false),
    rankSource: only('verified_payments'),
  }),
  endpoints: object({
    capabilities: only(CAPABILITIES_PATH),
    freePublish: only(PUBLISH_PATH),
    quote: only(QUOTE_PATH),
    /** Absent if the service has no check. */
    check: optional(only(CHECK_PATH)),
    /** Absent if customers cannot approve in a browser. */
    approvals: optional(only(APPROVALS_PATH)),
  }),
  agentGuide: address,
  publishingPolicy: object({
    rulesVersion: only(CONTRACT_VERSION),
    explicitUserApprovalRequired: only(true),
    approvalScope: only(APPROVAL_SCOPE),
    serverToServer: only(true),
    requestBodyMaxBytes: only(BODY_MAX_BYTES),
    idempotencyHeader: only(IDEMPOTENCY_HEADER),
    proofHeader: only(PROOF_HEADER),
    resume: text,
    domainOwnershipVerified: only(false),
    contentReviewRequired: only(true),
    paidRankingChanged: only(false),
    limits: object({
      requestsPerTenMinutesPerIp: whole,
      newAttemptsPerDayPerIp: whole,
      newAttemptsPerDayPerHost: whole,
      newAttemptsPerDayGlobal: whole,
      checksPerDayPerIp: optional(whole),
      checksPerDayPerHost: optional(whole),
    }),
  }),
  discovery: object({
    /** Whether new free submissions are open now. */
    available: flag,
    submissionEndsAt: optional(text),
    displayDays: only(DISPLAY_DAYS),
    paidRanking: only(false),
  }),
})
/** What a service offers now. */
export type Capabilities = Of<typeof capabilitiesShape>

const left = wholeFrom(0)
/** What a listing would show. */
export const previewShape = object({ title: text, description: text, imageUrl: optional(address) })

export const checkShape = object({
  /** Whether a publish sent now would be accepted. */
  wouldPublish: flag,
  /** The address that would be listed. */
  destination: address,
  /** What a publish sent now would answer: 201, or the status, code and words of its refusal. */
  publishReply: object({
    status: whole,
    code: optional(text),
    error: optional(text),
    reason: optional(text),
    retryAfterSeconds: optional(wholeFrom(1)),
  }),
  /** What the listing would show, read from the page. */
  listing: optional(previewShape),
  /** Only if the destination is listed already. */
  alreadyListed: optional(object({ status: only(...RECEIPT_STATUSES), productUrl: optional(address) })),
  /** What is left today of each daily limit. */
  remaining: object({
    newAttemptsPerDayPerIp: left,
    newAttemptsPerDayPerHost: left,
    newAttemptsPerDayGlobal: left,
    checksPerDayPerIp: left,
    checksPerDayPerHost: left,
  }),
  /** When the daily limits are reset, in Unix milliseconds. */
  remainingUntil: whole,
  chargeCreated: only(false),
  notice: text,
})
/** What a publish would answer. Nothing was published, reserved or used up. */
export type Check = Of<typeof checkShape>

export const boardPageShape = object({
  /** The UTC day that the board is of; null or absent for the board of all time. */
  day: optional(textOrNull),
  /** By rank. */
  entries: list(
    object({
      /** Null where a board counts no further. */
      rank: wholeOrNull,
      id: wholeFrom(1),
      productUrl: address,
      totalCents: whole,
      reachedAt: whole,
    }),
  ),
  nextCursor: textOrNull,
})
/** A page of a board of paid places. */
export type BoardPage = Of<typeof boardPageShape>

export const drawShape = object({
  /** A UTC day. */
  day: text,
  /** Unix milliseconds. */
  drawnAt: whole,
  notice: text,
  /** The number of the rules. */
  algorithm: wholeFrom(1),
  seed: text,
  logSize: wholeOrNull,
  candidates: object({ count: wholeFrom(0), sha256: text, pages: wholeFrom(0), url: textOrNull }),
  /** The first one first. */
  drawn: list(
    object({ place: wholeFrom(1), id: wholeFrom(1), slug: text, lot: text, productUrl: textOrNull, title: textOrNull }),
  ),
})
/** What was drawn by lot on a day, and what is needed to repeat it. */
export type Draw = Of<typeof drawShape>

export const decisionShape = object({
  id: text,
  /** Such as `refuse`, `hide` or `accept`. The list may grow. */
  kind: text,
  /** What was decided, in a sentence. */
  decision: text,
  /** Unix milliseconds. */
  decidedAt: whole,
  /** `automatic`, `operator`, `owner` or `reporter`. */
  decidedBy: text,
  automated: object({ detection: flag, decision: flag }),
  about: object({
    website: optional(text),
    requestId: optional(text),
    productUrl: optional(address),
    decision: optional(text),
  }),
  /** A code, such as a review reason. */
  reason: text,
  /** The rule or law it is based on, in its wording of that day. */
  ground: object({ id: text, version: wholeFrom(1), kind: text, text, url: address }),
  /** What it relies on. Absent once deleted. */
  facts: optional(record),
  factsSha256: text,
  scope: object({ territory: text, duration: text }),
  contest: object({
    /** Whether an appeal would be taken now. */
    isPossible: flag,
    /** The last moment for one, in Unix milliseconds. */
    until: optional(whole),
    appealUrl: optional(address),
    /** How to appeal, as text. */
    how: text,
  }),
  appeal: optional(
    object({
      id: text,
      receivedAt: whole,
      statement: optional(text),
      /** `result`: `upheld`, the decision stands, or `reversed`. */
      outcome: optional(object({ id: text, result: text, explanation: optional(text), decidedAt: whole })),
    }),
  ),
  logIndex: optional(whole),
  chargeCreated: only(false),
})
/** A recorded decision: the reasons for it, and what can be done about it. */
export type Decision = Of<typeof decisionShape>

/** An error. Any reason is accepted, so that one added later is still a clear answer. */
export const errorShape = object({
  code: text,
  error: text,
  chargeCreated: optional(only(false)),
  field: optional(text),
  reason: optional(text),
})
