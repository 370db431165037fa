import { PlacardError } from '../error.ts'

/** Causes that occur before the first byte of a request is sent, as Node and Bun name them. */
const NEVER_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'bad port'],
  'ConnectionRefused',
])

/** The error for a fetch that failed. The cause itself is dropped: some of undici's errors contain the raw reply. */
export function networkError(error: unknown): PlacardError {
  const { code, message } = ((error instanceof Error && (error.cause ?? error)) || {}) as {
    code?: unknown
    message?: unknown
  }
  // For some ports, fetch refuses with only a message.
  const reason =
    message === 'bad port' ? message : typeof code === 'string' && /^\w+$/.test(code) ? code : 'connection lost'
  return NEVER_SENT.has(reason)
    ? new PlacardError({
        kind: 'postponed',
        code: 'network_error',
        error: `The service could not be reached (${reason}). Is its address right, and is it running?`,
        whatNext: 'Repeat the same call later.',
      })
    : new PlacardError({
        kind: 'unknown',
        code: 'network_error',
        error: `The connection to the service was lost before its answer was there (${reason}).`,
        whatNext: 'Repeat the same call.',
      })
}

/** The error for an answer that did not come in time. */
export const timedOut = (timeoutMs: number) =>
  new PlacardError({
    kind: 'unknown',
    code: 'timeout',
    error: `The service did not answer within ${timeoutMs / 1000} seconds.`,
    whatNext: 'Repeat the same call.',
  })
