import { once } from 'node:events'
import errors from 'undici/lib/core/errors.js'
import { type CannotTell, cannotTell, type Reject, reject } from '../verdict.ts'

/** Limits of a visit to a website. Tests pass smaller ones. */
export interface FetchLimits {
  /** For all documents with all hops, from the start of the visit. */
  totalMs: number
  /** Both DNS queries of a hop. */
  dnsMs: number
  /** TCP to one of the checked addresses, and TLS. */
  connectMs: number
  /** From the request to the end of the final response's headers. */
  headersMs: number
  headersMaxBytes: number
  /** Informational (1xx) responses before the final one. */
  informationalMax: number
  redirectsMax: number
  /**
   * Visits at a time, with at most one per registrable domain. Most of them only wait, which costs little more than a
   * socket. The clients of one network never occupy the last quarter alone.
   */
  atOnceMax: number
  /** Visits that may hold more than the first 64 KiB of a body at a time, from reading it until it is parsed. */
  largeBodiesMax: number
  /** The maximum number of waiting visits, and how long each may wait. */
  waitersMax: number
  waitMs: number
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  totalMs: 10_000,
  dnsMs: 2_000,
  connectMs: 3_000,
  // A website that needs 8 seconds is still read, wherever in the world it is.
  headersMs: 8_500,
  headersMaxBytes: 16 * 1024,
  informationalMax: 8,
  redirectsMax: 4,
  atOnceMax: 512,
  largeBodiesMax: 64,
  waitersMax: 512,
  // With the visit and the reviewers after it, less than the 15 seconds that known clients wait for a reply.
  waitMs: 2_000,
}

/** Ends a fetch with a verdict, as soon as it is clear. */
export class FetchEnded extends Error {
  readonly verdict: Reject | CannotTell
  /** The website's status, if its reply ended the fetch. */
  readonly httpStatus: number | undefined

  constructor(verdict: Reject | CannotTell, httpStatus?: number) {
    super(verdict.verdict === 'reject' ? verdict.reason : verdict.why)
    this.name = 'FetchEnded'
    this.verdict = verdict
    this.httpStatus = httpStatus
  }
}

/** Ends a fetch because the website did not answer in time. */
export class TimedOut extends FetchEnded {
  /** @param what the website did not do, for the client, such as "sent no headers" */
  constructor(why: string, what: string, limitMs: number) {
    super(cannotTell(why, 'site_slow', `The website ${what} within ${Math.ceil(limitMs / 500) / 2} seconds.`))
  }
}

/** Returns any error as the end of a fetch. */
export const endOf = (error: unknown): FetchEnded =>
  error instanceof FetchEnded ? error : new FetchEnded(verdictOn(error))

/**
 * The verdict on an unexpected error. A server that does not speak HTTP gets a final verdict. For anything else, a
 * later try may succeed.
 */
function verdictOn(error: unknown): Reject | CannotTell {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return reject('too_large', 'The headers of its response are too large.')
  if (error instanceof errors.HTTPParserError && !message.includes('Invalid EOF state')) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  // 100 or 101 in reply to a request that asked for neither.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(message)) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  const why = code === '' ? message : `${code}: ${message}`
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) {
    return cannotTell(why, 'site_tls', TLS_FAULTS[code] ?? 'The website did not complete the TLS handshake.')
  }
  return cannotTell(why, 'site_unreachable', FAULTS[code] ?? 'The connection to the website broke off.')
}

const OLD_TLS = 'The website offers only old versions of TLS. Let its server offer TLS 1.2 or 1.3.'
const NO_TLS = 'The website does not speak TLS on port 443.'
const WANTS_CERTIFICATE = 'The website asks its visitors for a certificate.'

/** By OpenSSL's code. A server that refuses a client without a certificate says that the certificate is bad, or missing. */
const TLS_FAULTS: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: WANTS_CERTIFICATE,
  'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE': WANTS_CERTIFICATE,
}

const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'The website refused the connection.',
  EHOSTUNREACH: 'There is no route to the website.',
  ENETUNREACH: 'There is no route to the website.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'The page of the website is not as long as its Content-Length says, or its length is sent twice.',
}

/** A visit's permission to hold a large body in memory, from the first large body until the visit ends. */
export class LargeBodyPermit {
  readonly #acquire: () => Promise<(() => void) | undefined>
  readonly #signal: AbortSignal
  #acquired: Promise<(() => void) | undefined> | undefined

  constructor(acquire: () => Promise<(() => void) | undefined>, signal: AbortSignal) {
    this.#acquire = acquire
    this.#signal = signal
  }

  /** Waits for the permission. @throws FetchEnded if that takes too long, or the signal's reason */
  async obtain(): Promise<void> {
    this.#acquired ??= this.#acquire()
    const release = await Promise.race([this.#acquired, once(this.#signal, 'abort')])
    this.#signal.throwIfAborted()
    if (!release) throw new FetchEnded(cannotTell('too many large bodies in progress', 'busy'))
  }

  release(): void {
    void this.#acquired?.then(release => release?.())
  }
}
