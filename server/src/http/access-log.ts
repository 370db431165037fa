import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/**
 * Logs a line for each request: on demand, and on the levels debug and trace. It names the route, not the address: queries
 * and claim ids do not belong in a log. Call it before any route exists.
 */
export function logRequests(
  app: FastifyInstance,
  log: Logger,
  { accessLog, logLevel }: Pick<Config, 'accessLog' | 'logLevel'>,
): void {
  const isWanted = accessLog !== 'off'
  if (!isWanted && logLevel !== 'debug' && logLevel !== 'trace') return
  // Who asks for these lines gets them on any level.
  const lines = isWanted ? log.child({}, { level: 'info' }) : log
  const level = isWanted ? 'info' : 'debug'
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method, routeOptions, ip } = request
    const line = { reqId, method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime }
    lines[level](accessLog === 'with-address' ? { ...line, address: ip } : line, 'request')
    done()
  })
}
