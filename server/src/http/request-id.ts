import { randomBytes } from 'node:crypto'

/**
 * Ids for X-Request-Id and the log: random per process, counted within it. A random id for every request would cost a
 * fifth of a small reply, and these need not be secret.
 */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
