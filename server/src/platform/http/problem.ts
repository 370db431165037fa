import {
  DECISIONS_PATH,
  ERRORS,
  ERRORS_PATH,
  type ErrorBody,
  type ErrorCode,
  type ErrorReason,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  REVIEW_REASONS,
  type ReviewReason,
  suggestCategory,
} from '@placard/contract'
import type { FastifySchemaValidationError } from 'fastify'

interface ProblemOptions {
  /** The field or header at fault, such as `approval.scope`. */
  field?: string
  /** On 422: why review refused; on 503: why there is no answer now. Null, as stored without one, counts as absent. */
  reason?: ErrorReason | null | undefined
  /** What is wrong in this case. It precedes the table's advice, and follows the reason of a review. */
  detail?: string | null | undefined
  /** The operation that an unknown one nearly names, such as `GET /newest`. The detail then suggests it. */
  meant?: string | undefined
  /** Replaces the table's message, if that would be wrong. */
  message?: string | undefined
  /** Whole seconds until a repeat can succeed; becomes the Retry-After header, too. */
  retryAfterSeconds?: number
  /** The stored outcome of an earlier identical request; becomes the Idempotent-Replayed header. */
  replayed?: boolean
  /** The recorded decision about this; becomes the Placard-Decision header, too. */
  decisionId?: string | undefined
  /** On 409: the public page of the listing that has the destination. */
  productUrl?: string | undefined
  cause?: unknown
}

/**
 * An error for the caller. Thrown by code; `platform/http/error-reply.ts` turns it into a reply in one place. It
 * captures no stack, which is never read, and takes a quarter of a refusal's time.
 */
export class Problem implements Error {
  readonly name = 'Problem'
  readonly code: ErrorCode
  readonly status: number
  readonly message: string
  /** What is wrong in this case, without advice for programs. */
  readonly detail: string | undefined
  readonly meant: string | undefined
  readonly cause: unknown
  readonly field: string | undefined
  readonly reason: ErrorReason | undefined
  readonly retryAfterSeconds: number | undefined
  readonly replayed: boolean
  readonly decisionId: string | undefined
  readonly productUrl: string | undefined

  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    const { field, reason, meant, message, retryAfterSeconds, replayed = false, cause } = options
    const detail = meant === undefined ? options.detail : `Did you mean ${meant}?`
    const ofReview = reason && reason in REVIEW_REASONS ? REVIEW_REASONS[reason as ReviewReason] : undefined
    const advice = ERRORS[code].error
    // What review found says "it" for the website that the reason names.
    const parts = ofReview ? [advice, ofReview, detail] : [detail, advice]
    this.code = code
    this.status = ERRORS[code].status
    this.message = message ?? parts.filter(Boolean).join(' ')
    this.detail = detail ?? undefined
    this.meant = meant
    this.cause = cause
    this.field = field ?? HEADERS_AT_FAULT[code]
    this.reason = reason ?? (this.status === 503 ? 'busy' : undefined)
    this.retryAfterSeconds = retryAfterSeconds
    this.replayed = replayed
    this.decisionId = options.decisionId
    this.productUrl = options.productUrl
  }

  /** Returns the same error with another time to wait. */
  after(retryAfterSeconds: number): Problem {
    return Object.assign(Object.create(Problem.prototype) as Problem, this, { retryAfterSeconds })
  }

  /** Returns the reply body, in the one shape of all errors (spec 2.2). Models read no headers, so it repeats them. */
  toBody({ base }: { readonly base: string }): ErrorBody {
    const { decisionId, productUrl, retryAfterSeconds } = this
    return {
      code: this.code,
      error: withOwnAddress(this.message, base),
      chargeCreated: false,
      ...(this.field !== undefined && { field: this.field }),
      ...(this.reason !== undefined && { reason: this.reason }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(decisionId !== undefined && { decisionId, decisionUrl: `${base}${DECISIONS_PATH}/${decisionId}` }),
      ...(productUrl !== undefined && { productUrl }),
      documentationUrl: `${base}${ERRORS_PATH}/${this.code}`,
    }
  }
}

// Fastify and the log recognise errors by this: an error handler that throws what is not an `Error` would be answered
// with 200.
Object.setPrototypeOf(Problem.prototype, Error.prototype)

/** Returns a message that also leads a person who reads it in a terminal to the page for owners. */
export const withOwnAddress = (message: string, base: string): string =>
  message.replace(' at /own.', ` at ${base}/own.`)

/** Errors that are always about one header. */
const HEADERS_AT_FAULT: Partial<Record<ErrorCode, string>> = {
  invalid_idempotency_key: IDEMPOTENCY_HEADER,
  invalid_submission_secret: PROOF_HEADER,
  unsupported_media_type: 'Content-Type',
  cross_origin_rejected: 'Origin',
}

/** Returns the error for a body larger than its address accepts. */
export const bodyTooLarge = (maxBytes: number): Problem =>
  new Problem('body_too_large', {
    message: `${ERRORS.body_too_large.error} The limit is ${maxBytes} bytes.`,
  })

/** The error for each field, whether it is missing or has a wrong type or value. */
const CODE_BY_FIELD: Partial<Record<string, ErrorCode>> = {
  destination: 'invalid_destination',
  category: 'unknown_category',
  approval: 'approval_required',
  'approval.scope': 'approval_required',
  'approval.userApproved': 'approval_required',
  'approval.rulesVersion': 'rules_version_mismatch',
  'approval.approvalCode': 'invalid_approval_code',
  board: 'invalid_board',
  targetBid: 'invalid_target_bid',
  cursor: 'invalid_cursor',
  limit: 'invalid_limit',
}

/** Returns the error for the first fault that the schema found. It names the field and never repeats a value. */
export function invalidBody(faults: readonly FastifySchemaValidationError[], body?: unknown): Problem {
  const fault = faults[0]
  const parent = (fault?.instancePath ?? '').split('/').filter(Boolean)
  const { missingProperty, additionalProperty } = (fault?.params ?? {}) as Record<string, unknown>

  if (typeof additionalProperty === 'string') {
    // The caller chose this name, so it is cut to 40 characters.
    const name = additionalProperty.slice(0, 40)
    return new Problem('invalid_body', {
      detail: `Unknown field ${JSON.stringify(name)}.`,
      field: [...parent, name].join('.'),
    })
  }
  const field = [...parent, ...(typeof missingProperty === 'string' ? [missingProperty] : [])].join('.')
  const code = CODE_BY_FIELD[field] ?? 'invalid_body'
  const detail = whatIsWrong(field, fault, code, body)
  return new Problem(code, { ...(field && { field }), ...(detail && { detail }) })
}

/** What a text must be whose pattern no one wants to read. */
const FORMS: Partial<Record<string, string>> = {
  language: 'two letters such as en',
  day: 'a UTC day such as 2026-09-06',
  updatedSince: 'a time in Unix milliseconds',
}

/** Returns what precedes the table's advice, unless the advice already says it. */
function whatIsWrong(
  field: string,
  fault: FastifySchemaValidationError | undefined,
  code: ErrorCode,
  body: unknown,
): string | undefined {
  if (fault?.keyword === 'required') return `${field} is missing.`
  if (fault?.keyword === 'maxLength') return `${field} is longer than ${fault.params.limit} characters.`
  if (code === 'unknown_category') {
    const suggestion = suggestCategory((body as { category?: unknown } | undefined)?.category)
    return suggestion && `Did you mean "${suggestion}"?`
  }
  if (code !== 'invalid_body' || !field) return undefined
  if (fault?.keyword === 'enum')
    return `${field} must be one of: ${(fault.params.allowedValues as string[]).join(', ')}.`
  if (fault?.keyword === 'pattern' && FORMS[field]) return `${field} must be ${FORMS[field]}.`
  if (fault?.keyword === 'type') return `${field} must be of type ${fault.params.type}.`
  return fault?.keyword === 'minLength' ? `${field} is empty.` : `${field} ${fault?.message ?? 'is wrong'}.`
}
