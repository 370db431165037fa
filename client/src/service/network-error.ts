import { PlacardError } from '../error.ts'

/** Causes that occur before the first byte of a request is sent, as Node and Bun name them. */
const NEVER_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'bad port'],
  'ConnectionRefused',
])

/** What is wrong with a certificate. A request is sent only after the certificate was checked. */
const UNTRUSTED = new Set([
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_UNTRUSTED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])

/** The error for a fetch that failed. The cause itself is dropped: some of undici's errors contain the raw reply. */
export function networkError(error: unknown): PlacardError {
  const { code, message, syscall } = ((error instanceof Error && (error.cause ?? error)) || {}) as {
    code?: unknown
    message?: unknown
    syscall?: unknown
  }
  // For some ports, fetch refuses with only a message.
  const reason = message === 'bad port' ? message : typeof code === 'string' && /^\w+$/.test(code) ? code : ''
  const postponed = (text: string) =>
    new PlacardError({ kind: 'postponed', code: 'network_error', error: text, whatNext: 'Try again later.' })
  if (UNTRUSTED.has(reason)) {
    return postponed(
      `The certificate of the service is not valid here (${reason}), so nothing was sent. Check its address. If its certificate is from your own authority, name that in NODE_EXTRA_CA_CERTS.`,
    )
  }
  return NEVER_SENT.has(reason) || syscall === 'connect'
    ? postponed(`The service could not be reached (${reason}). Is its address right, and is it running?`)
    : new PlacardError({
        kind: 'unknown',
        code: 'network_error',
        error: reason.startsWith('ERR_SSL_')
          ? `No secure connection to the service (${reason}). Is its address right, and does its port speak https?`
          : // The name that undici gives to this tells nobody anything.
            `The connection to the service was lost before its answer was there${reason && reason !== 'UND_ERR_SOCKET' ? ` (${reason})` : ''}.`,
        whatNext: 'Try again.',
      })
}

/** The error for an answer that did not come in time. */
export const timedOut = (timeoutMs: number) =>
  new PlacardError({
    kind: 'unknown',
    code: 'timeout',
    error: `The service did not answer within ${timeoutMs / 1000} seconds.`,
    whatNext: 'Try again.',
  })
