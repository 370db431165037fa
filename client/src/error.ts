import { plain } from './text.ts'

/**
 * What an error says about the request:
 * `refused`: the service gave a final no.
 * `postponed`: certainly not accepted now; the same request may be repeated later.
 * `unknown`: it may have been accepted; only repeating the same request can tell.
 * `usage`: nothing was sent, because the call, an option or the journal is at fault.
 */
export type ErrorKind = 'refused' | 'postponed' | 'unknown' | 'usage'

/** The most text from a service or the system that an error repeats. */
export const MESSAGE_MAX_LENGTH = 1000

/** The fields of a `PlacardError`; those that do not apply are absent. */
export interface ErrorDetails {
  kind: ErrorKind
  code: string
  error: string
  advice?: string | undefined
  status?: number | undefined
  field?: string | undefined
  reason?: string | undefined
  retryAfterSeconds?: number | undefined
  keepCredentials?: boolean | undefined
}

/** The one error this package throws. It never carries a secret, a private link or a raw reply. */
export class PlacardError extends Error {
  override readonly name = 'PlacardError'
  readonly kind: ErrorKind
  /** The service's code, or one of this package's own: see the README. */
  readonly code: string
  /** What went wrong, without the advice that `message` adds. */
  readonly error: string
  /** What to do next, if this package knows more than the service said. */
  readonly advice: string | undefined
  /** HTTP status, if there was a reply. */
  readonly status: number | undefined
  /** On 400: the field at fault. */
  readonly field: string | undefined
  /** On 422: why the review refused. */
  readonly reason: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** True if the journal keeps key, secret and body, so that the next `publish` sends them again. */
  readonly keepCredentials: boolean

  constructor(details: ErrorDetails) {
    super(details.advice ? `${details.error} ${details.advice}` : details.error)
    this.kind = details.kind
    this.code = details.code
    this.error = details.error
    this.advice = details.advice
    this.status = details.status
    this.field = details.field
    this.reason = details.reason
    this.retryAfterSeconds = details.retryAfterSeconds
    this.keepCredentials = details.keepCredentials ?? false
  }

  /** The same error with some details changed. */
  with(changes: Partial<ErrorDetails>): PlacardError {
    return new PlacardError({ ...this.toJSON(), ...changes })
  }

  toJSON(): ErrorDetails {
    const { kind, code, error, advice, status, field, reason, retryAfterSeconds, keepCredentials } = this
    return { kind, code, error, advice, status, field, reason, retryAfterSeconds, keepCredentials }
  }
}

/** An error that happened before anything was sent. */
export function usageError(code: string, error: string, advice?: string): PlacardError {
  return new PlacardError({ kind: 'usage', code, error, advice })
}

/** The error for a call that the caller's own AbortSignal ended. `kind` says what is known about its request. */
export function aborted(kind: ErrorKind): PlacardError {
  const advice = kind === 'usage' ? 'Nothing was sent. Call again to continue.' : undefined
  return new PlacardError({ kind, code: 'aborted', error: 'The caller stopped the request.', advice })
}

/** Turns anything thrown into this package's error. `kind` says what is known about the request, if it is not one already. */
export function asPlacardError(thrown: unknown, kind: ErrorKind): PlacardError {
  if (thrown instanceof PlacardError) return thrown
  return new PlacardError({
    kind,
    code: 'unexpected',
    error: `Unexpected error in this client: ${messageOf(thrown)}`,
    advice: 'Try again. If it keeps happening, report it with this message.',
  })
}

/** The message of anything thrown, in one line. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : thrown
  return plain(typeof message === 'string' ? message : 'no reason was given').slice(0, MESSAGE_MAX_LENGTH)
}
