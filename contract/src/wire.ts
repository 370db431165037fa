/** Where to publish, and the two headers every publish carries (spec 4.1). */
export const PUBLISH_PATH = '/api/v1/agent/listings'
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
export const PROOF_HEADER = 'X-Submission-Secret'

export const IDEMPOTENCY_KEY_PATTERN =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'
export const SUBMISSION_SECRET_PATTERN = '^[0-9a-fA-F]{64}$'

export const APPROVAL_SCOPE = 'free_listing_publish'

export const RECEIPT_STATUSES = ['published', 'expired', 'unavailable'] as const
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

export const CAPABILITIES_PATH = '/api/v1/agent/capabilities'
export const QUOTE_PATH = '/api/v1/agent/quote'
export const CHECK_PATH = '/api/v1/agent/check'

/** Where an agent asks for the customer's approval in a browser; the code of a request follows. */
export const APPROVALS_PATH = '/api/v1/agent/approvals'
/** 128 random bits in base64url. */
export const APPROVAL_CODE_PATTERN = '^[A-Za-z0-9_-]{22}$'
export const APPROVAL_STATUSES = ['waiting', 'approved', 'declined', 'expired', 'used'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** A reply about a recorded decision names it in this header. */
export const DECISION_HEADER = 'Placard-Decision'
export const DECISIONS_PATH = '/api/v1/agent/decisions'

/** The state of a submission; its idempotency key follows. */
export const SUBMISSIONS_PATH = '/api/v1/agent/submissions'

export const SUBMISSION_STATES = ['unknown', 'under_review', 'published', 'refused', 'hidden', 'ended'] as const
export type SubmissionState = (typeof SUBMISSION_STATES)[number]

/** What can happen to a submission. The list may grow. */
export const SUBMISSION_EVENTS = {
  'submission.published': 'The listing is live.',
  'submission.refused': 'Review or another rule refused it.',
  'submission.appeal_decided': 'A person decided an appeal. reason: upheld or reversed.',
  'submission.hidden': 'The listing was taken down. reason says why: withdrawn, if its owner did it.',
  'submission.restored': 'The listing is shown again.',
  'submission.claimed':
    'Somebody proved that the website is theirs. reason: claimed, with a new private link, or verified, by the holder of the private link.',
  'submission.end_changed': 'The operator moved the end of the listing.',
  'submission.ends_soon': 'The listing ends within 7 days.',
  'submission.ended': 'The listing has ended. reason: ended, if the operator ended it early.',
} as const
export type SubmissionEventType = keyof typeof SUBMISSION_EVENTS

/** The published listings, as data; a slug follows for one. */
export const LISTINGS_PATH = '/api/v1/listings'
export const SEARCH_PATH = '/api/v1/search'

/** The daily draws; a UTC day follows. */
export const DRAWS_PATH = '/api/v1/draws'

export const BOARDS = ['all', 'today'] as const
export type Board = (typeof BOARDS)[number]

/** The reason of `payment_evidence_unavailable` on a site that sells no places. */
export const PAYMENTS_OFF = 'payments_off'
