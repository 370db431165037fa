import { errors } from 'undici'
import { type CannotTell, cannotTell, type Reject, reject } from '../review/verdict.ts'

/** Ends a fetch with its verdict, thrown from wherever it became clear. */
export class FetchEnded extends Error {
  readonly verdict: Reject | CannotTell

  constructor(verdict: Reject | CannotTell) {
    super(verdict.verdict === 'reject' ? verdict.reason : verdict.why)
    this.name = 'FetchEnded'
    this.verdict = verdict
  }
}

/**
 * The verdict on whatever stopped a fetch. A server that speaks no HTTP will not learn it by tomorrow; for anything
 * else that was not foreseen, a later try may go better.
 */
export function verdictOn(error: unknown): Reject | CannotTell {
  if (error instanceof FetchEnded) return error.verdict
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return reject('too_large', 'The headers of its response are too large.')
  if (error instanceof errors.HTTPParserError && !message.includes('Invalid EOF state')) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  // An answer out of turn: 100 or 101 to a request that asked for neither.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(message)) {
    return reject('not_a_web_page', 'The response of the website is not valid HTTP.')
  }
  return cannotTell(code === '' ? message : `${code}: ${message}`)
}
