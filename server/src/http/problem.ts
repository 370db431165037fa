import { ERRORS, type ErrorBody, type ErrorCode, REVIEW_REASONS, type ReviewReason } from '@placard/contract'

interface ProblemOptions {
  /** On 400: the field at fault, such as `approval.scope`. */
  field?: string
  /** On 422: why review refused. Null, as it is stored where there is none, counts as left out. */
  reason?: ReviewReason | null | undefined
  /** What is wrong in this case, said before the table's advice. */
  detail?: string | null | undefined
  /** Said instead of the table's words, where those would be wrong. */
  message?: string
  /** Whole seconds until a repeat can succeed; becomes the Retry-After header. */
  retryAfterSeconds?: number
  /** The stored outcome of an earlier identical request; becomes the Idempotent-Replayed header. */
  replayed?: boolean
  /** The recorded decision that this tells of; becomes the Placard-Decision header. */
  decisionId?: string | undefined
  cause?: unknown
}

/**
 * An error the caller is told about. Thrown by code; `http/error-reply.ts` turns it into a reply in one place. It
 * captures no stack, which nobody reads, and which costs a refusal a quarter of its time.
 */
export class Problem implements Error {
  readonly name = 'Problem'
  readonly code: ErrorCode
  readonly status: number
  readonly message: string
  readonly cause: unknown
  readonly field: string | undefined
  readonly reason: ReviewReason | undefined
  readonly retryAfterSeconds: number | undefined
  readonly replayed: boolean
  readonly decisionId: string | undefined

  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    const { field, reason, detail, message, retryAfterSeconds, replayed = false, cause } = options
    const advice = reason ? `${ERRORS[code].error} ${REVIEW_REASONS[reason]}` : ERRORS[code].error
    this.code = code
    this.status = ERRORS[code].status
    this.message = message ?? (detail ? `${detail} ${advice}` : advice)
    this.cause = cause
    this.field = field
    this.reason = reason ?? undefined
    this.retryAfterSeconds = retryAfterSeconds
    this.replayed = replayed
    this.decisionId = options.decisionId
  }

  /** The reply body, in the one shape every error of the service has (spec 2.2). */
  toBody(): ErrorBody {
    return {
      code: this.code,
      error: this.message,
      chargeCreated: false,
      ...(this.field !== undefined && { field: this.field }),
      ...(this.reason !== undefined && { reason: this.reason }),
    }
  }
}

// Fastify and the log tell errors by this: an error handler that throws what is no `Error` would be answered with 200.
Object.setPrototypeOf(Problem.prototype, Error.prototype)

/** What is said of a body larger than its address takes. */
export const bodyTooLarge = (maxBytes: number): Problem =>
  new Problem('body_too_large', { detail: `The body is larger than ${maxBytes} bytes.` })
