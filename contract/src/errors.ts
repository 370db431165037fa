import Type, { type Static } from 'typebox'
import type { ReviewReason } from './review-reasons.ts'
import type { PAYMENTS_OFF } from './wire.ts'

/** Why a request got 503: the website, a reviewer, or the service itself. */
export const UNAVAILABLE_REASONS = {
  site_slow: 'The website did not answer in time.',
  site_unreachable: 'The website cannot be reached, or answers with an error.',
  site_tls: 'The website does not complete the TLS handshake.',
  reviewer_unavailable: 'A reviewer that this site requires does not answer.',
  busy: 'The service has too much to do, or cannot use its database.',
} as const
export type UnavailableReason = keyof typeof UNAVAILABLE_REASONS

export type ErrorReason = ReviewReason | UnavailableReason | typeof PAYMENTS_OFF

/** A row: the HTTP status, and what the reader should do next. */
interface ErrorRow {
  status: number
  error: string
}

/**
 * Every error the service returns, by code. The reply, the API document and the docs page are made from this table, so
 * each code, status and advice is written only once.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    error: 'The service cannot read this as an HTTP/1.1 request. Send a complete request.',
  },
  invalid_json: { status: 400, error: 'The body is not valid JSON in UTF-8. Send one JSON object.' },
  invalid_body: {
    status: 400,
    error: 'The request does not have the documented fields. Send exactly those, and no others.',
  },
  invalid_idempotency_key: {
    status: 400,
    error:
      'Idempotency-Key must be sent once, as a random UUID version 4. Make one per submission with a program, and keep it: python3 -c "import uuid; print(uuid.uuid4())", or node -e "console.log(crypto.randomUUID())".',
  },
  invalid_submission_secret: {
    status: 400,
    error:
      'X-Submission-Secret must be sent once, as 32 random bytes in hex (64 digits). Make one per submission with a program, and keep it private: openssl rand -hex 32, or python3 -c "import secrets; print(secrets.token_hex(32))", or node -e "console.log(require(\'crypto\').randomBytes(32).toString(\'hex\'))".',
  },
  invalid_destination: {
    status: 400,
    error:
      'The destination must be a public http or https address with a real domain name, on the standard port, without credentials.',
  },
  unknown_category: {
    status: 400,
    error: 'The category must be one of the English category IDs. Read them from GET /api/v1/agent/capabilities.',
  },
  approval_required: {
    status: 400,
    error:
      'The customer has to approve this. Ask the customer, and only after an explicit yes send approval.scope "free_listing_publish" and approval.userApproved true.',
  },
  invalid_approval_code: {
    status: 400,
    error:
      'This approvalCode does not allow this publish. Ask the customer with POST /api/v1/agent/approvals, and publish with the new code once they have approved.',
  },
  rules_version_mismatch: {
    status: 400,
    error:
      'approval.rulesVersion must be the version in force. Read the rules again, ask the customer again, and send the current version.',
  },
  invalid_board: { status: 400, error: 'The board must be "all" or "today".' },
  invalid_target_bid: {
    status: 400,
    error:
      'targetBid must be a whole number of US dollars from 5 to 999999: the total you want on the board, not the increment.',
  },
  target_not_above_current: {
    status: 400,
    error:
      'The target is less than one dollar above what is already paid for this destination on this board. Quote a higher target.',
  },
  invalid_cursor: {
    status: 400,
    error: 'This service did not issue that cursor. Take it from the previous page, or leave it out.',
  },
  invalid_limit: { status: 400, error: 'The limit must be a whole number from 1 to 100.' },
  invalid_signature: {
    status: 400,
    error: 'The event is not signed with this webhook’s secret, was altered, or is too old. Nothing was changed.',
  },
  invalid_statement: {
    status: 400,
    error: 'The statement must have 1 to 1000 characters, and no private link in it. Say why the decision is wrong.',
  },
  cross_origin_rejected: {
    status: 403,
    error:
      'A browser sent this from a page of another origin. Send it from your own server, or from a page of this service.',
  },
  not_found: {
    status: 404,
    error: 'There is nothing at this address. The API is described at /openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    error: 'This address does not support that method. The Allow header lists the methods it supports.',
  },
  idempotency_conflict: {
    status: 409,
    error:
      'This Idempotency-Key was used with another secret or body. Repeat the original request exactly, or use a new key for a new submission.',
  },
  destination_already_listed: {
    status: 409,
    error:
      'This destination is already listed, and a listing cannot be taken over. Use the original submission or its private link to manage it. The owner of the website can prove that it is theirs, in a browser, at /own.',
  },
  already_appealed: {
    status: 409,
    error: 'This decision was already appealed, with another statement. Read the decision to see the outcome.',
  },
  not_contestable: {
    status: 409,
    error: 'This decision cannot be appealed, or the time to appeal is over. Read the decision for details.',
  },
  submissions_closed: {
    status: 410,
    error: 'New free submissions are closed. Repeating an earlier submission still recovers its receipt.',
  },
  body_too_large: {
    status: 413,
    error: 'The request body is too large. Send only the documented fields.',
  },
  unsupported_media_type: {
    status: 415,
    error: 'The body has the wrong type. Send it as Content-Type: application/json, without a Content-Encoding.',
  },
  review_rejected: { status: 422, error: 'The destination did not pass review.' },
  rate_limited: {
    status: 429,
    error:
      'Too many requests from this address or its network. Wait retryAfterSeconds, then send the same again: keep the key, secret and body.',
  },
  quota_ip: {
    status: 429,
    error:
      'This address or its network has reached its daily limit of new submissions. Wait retryAfterSeconds, then send the same again: keep the key, secret and body.',
  },
  quota_host: {
    status: 429,
    error:
      'This website has reached its daily limit of new submissions. Wait retryAfterSeconds, then send the same again: keep the key, secret and body.',
  },
  quota_global: {
    status: 429,
    error:
      'This site has reached its daily limit of new submissions. Wait retryAfterSeconds, then send the same again: keep the key, secret and body.',
  },
  check_quota_ip: {
    status: 429,
    error:
      'This address has reached its daily limit of checks. Wait retryAfterSeconds, then check again. Publishing has a separate limit.',
  },
  check_quota_host: {
    status: 429,
    error:
      'This website has reached its daily limit of checks. Wait retryAfterSeconds, then check again. Publishing has a separate limit.',
  },
  internal_error: {
    status: 500,
    error: 'Something went wrong on our side. Nothing was charged. Repeat the request later, unchanged.',
  },
  format_not_served: {
    status: 501,
    error: 'This service answers oEmbed requests as JSON only. Send format=json.',
  },
  review_unavailable: {
    status: 503,
    error:
      'The destination could not be reviewed right now. Wait retryAfterSeconds, then repeat the request unchanged: a publish with the same key, secret and body.',
  },
  publication_unconfirmed: {
    status: 503,
    error: 'The outcome is not confirmed yet. Repeat the request with the same key, secret and body.',
  },
  not_ready: { status: 503, error: 'The service cannot use its database right now. Try again shortly.' },
  payment_evidence_unavailable: {
    status: 503,
    error:
      'Verified payments cannot be read right now, so there is no price and no board. Nothing was charged. Try again later.',
  },
  payments_unavailable: {
    status: 503,
    error: 'The payment processor does not answer right now. Nothing was charged. Try again in a minute.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** In the API document, an open list: the table may grow, and a client accepts codes that it does not know. */
export const ErrorCodeText = Type.String({ title: 'ErrorCode' })

/** In the API document, an open list, like `ErrorCodeText`. */
export const ErrorReasonText = Type.Unsafe<ErrorReason>({ title: 'ErrorReason', type: 'string' })

const uri = (description: string) => Type.String({ format: 'uri', description })

/** Body of every error reply, on every operation (spec 2.2). */
export const ErrorBody = Type.Object(
  {
    code: ErrorCodeText,
    error: Type.String({ description: 'What went wrong, and what to do next.' }),
    chargeCreated: Type.Literal(false, { description: 'Always false: no operation of this API charges.' }),
    field: Type.Optional(Type.String({ description: 'The field or header at fault, such as approval.scope.' })),
    reason: Type.Optional(ErrorReasonText),
    retryAfterSeconds: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Whole seconds to wait before the same request, as in Retry-After.' }),
    ),
    decisionId: Type.Optional(Type.String({ description: 'The recorded decision behind a refusal.' })),
    decisionUrl: Type.Optional(uri('GET it with X-Submission-Secret for the reasons; POST to /appeal below it.')),
    productUrl: Type.Optional(uri('On 409: the public page of the listing that has this destination.')),
    documentationUrl: Type.Optional(uri('What this code means and what to do, also as Markdown.')),
  },
  { title: 'ErrorBody' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** Returns the error replies that an operation documents: one per status, naming its codes. */
export function errorResponses(codes: readonly ErrorCode[]): Record<number, unknown> {
  const byStatus = Map.groupBy(codes, code => ERRORS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, itsCodes]) => [
      status,
      {
        ...ErrorBody,
        description: itsCodes.join(', '),
      },
    ]),
  )
}
