import { randomBytes } from 'node:crypto'

/**
 * Ids for X-Request-Id and the log: random for the process, counted within it. A random id for every request would cost
 * a fifth of a small reply, and nothing rests on these being secret.
 */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
