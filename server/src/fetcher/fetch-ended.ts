import errors from 'undici/lib/core/errors.js'
import { type CannotTell, cannotTell, type Reject, reject } from '../destinations/verdict.ts'

/** Ends a fetch with a verdict. Thrown wherever the verdict becomes clear. */
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

/** Turns any error into the end of a fetch. */
export const endOf = (error: unknown): FetchEnded =>
  error instanceof FetchEnded ? error : new FetchEnded(verdictOn(error))

/**
 * The verdict on an unexpected error. A server that does not speak HTTP will not learn it by tomorrow; for anything
 * else, a later try may succeed.
 */
function verdictOn(error: unknown): Reject | CannotTell {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return reject('too_large', 'The headers of its response are too large.')
  if (error instanceof errors.HTTPParserError && !message.includes('Invalid EOF state')) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  // 100 or 101 in reply to a request that asked for neither.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(message)) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  return cannotTell(code === '' ? message : `${code}: ${message}`)
}
