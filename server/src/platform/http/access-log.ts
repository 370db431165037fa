import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'

/**
 * Logs a line for each request: if requested, and on the levels debug and trace. It contains the route instead of the
 * address, because queries and claim ids must not be in a log. Call it before any route exists.
 */
export function logRequests(
  app: FastifyInstance,
  log: Logger,
  { accessLog, logLevel }: Pick<Config, 'accessLog' | 'logLevel'>,
): void {
  const isWanted = accessLog !== 'off'
  if (!isWanted && logLevel !== 'debug' && logLevel !== 'trace') return
  // If these lines are requested, they are logged at every level.
  const lines = isWanted ? log.child({}, { level: 'info' }) : log
  const level = isWanted ? 'info' : 'debug'
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method, routeOptions, ip } = request
    const line = { reqId, method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime }
    lines[level](accessLog === 'with-address' ? { ...line, address: ip } : line, 'request')
    done()
  })
}

/**
 * Returns a source of ids for X-Request-Id and the log: random per process, counted within it. A random id for every
 * request would cost a fifth of a small reply, and these need not be secret.
 */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
