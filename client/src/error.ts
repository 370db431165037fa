import { plain, withoutSecrets } from './service/text.ts'

/**
 * What an error says about the request:
 * - `refused`: the service gave a final no.
 * - `postponed`: not accepted now. The same request may be repeated later.
 * - `unknown`: it may have been accepted. Only repeating the same request can tell.
 * - `usage`: nothing was sent, because an argument, an option or the journal is at fault.
 */
export type ErrorKind = 'refused' | 'postponed' | 'unknown' | 'usage'

export const MESSAGE_MAX_LENGTH = 1000

/** The fields of a `PlacardError`; those that do not apply are absent. */
export interface ErrorDetails {
  kind: ErrorKind
  code: string
  error: string
  whatNext: string
  status?: number | undefined
  field?: string | undefined
  reason?: string | undefined
  requestId?: string | undefined
  decisionId?: string | undefined
  retryAfterSeconds?: number | undefined
  keepCredentials?: boolean | undefined
}

/** The one error this package throws. It never carries a secret, a private link or a raw reply. */
export class PlacardError extends Error {
  override readonly name = 'PlacardError'
  declare readonly kind: ErrorKind
  /** The service's code, or one of this package's own: see the README. */
  declare readonly code: string
  /** What went wrong. `message` is this and `whatNext`. */
  declare readonly error: string
  /** What to do next, in a sentence or two. */
  declare readonly whatNext: string
  declare readonly status: number | undefined
  /** The field or option at fault, if there is one. */
  declare readonly field: string | undefined
  /** On 422: why the review refused. On 503: `payments_off` if the site sells no places. */
  declare readonly reason: string | undefined
  /** The service's name for this request, from `X-Request-Id`: its operator can find it in the log. */
  declare readonly requestId: string | undefined
  /** The recorded decision behind a refusal, from `Placard-Decision`: see `PlacardClient.decision` and `appeal`. */
  declare readonly decisionId: string | undefined
  declare readonly retryAfterSeconds: number | undefined
  /** True if the store has key, secret and body, so that the next `publish` sends them again. */
  declare readonly keepCredentials: boolean

  constructor(details: ErrorDetails) {
    super(`${details.error} ${details.whatNext}`)
    Object.assign(this, details, { keepCredentials: details.keepCredentials ?? false })
  }

  /** Returns the same error with some details changed. */
  with(changes: Partial<ErrorDetails>): PlacardError {
    return new PlacardError({ ...this.toJSON(), ...changes })
  }

  toJSON(): ErrorDetails {
    const { name: _, ...details } = this
    return details
  }
}

/** Returns an error that happened before anything was sent. `field` names the argument or option at fault. */
export function usageError(code: string, error: string, whatNext: string, field?: string): PlacardError {
  return new PlacardError({ kind: 'usage', code, error, whatNext, field })
}

/**
 * Returns the error for a call that the caller's own AbortSignal ended. `kind` says what is known about its request.
 */
export function aborted(kind: ErrorKind): PlacardError {
  const whatNext = kind === 'usage' ? 'Nothing was sent. Call again to continue.' : 'Call again to continue.'
  return new PlacardError({ kind, code: 'aborted', error: 'The caller stopped the request.', whatNext })
}

/** Turns anything thrown into this package's error. `kind` says what is known about the request, if it is not one already. */
export function asPlacardError(thrown: unknown, kind: ErrorKind): PlacardError {
  if (thrown instanceof PlacardError) return thrown
  return new PlacardError({
    kind,
    code: 'unexpected',
    error: `Unexpected error in this client: ${messageOf(thrown)}`,
    whatNext: 'Try again. If it keeps happening, report it with this message.',
  })
}

/** Returns the message of anything thrown, in one line and without anything like a secret. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : thrown
  const text = plain(typeof message === 'string' ? message : 'no reason was given')
  return withoutSecrets(text).slice(0, MESSAGE_MAX_LENGTH)
}
