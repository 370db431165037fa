import { PUBLISH_PATH } from '@placard/contract'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Others count as `other`: anyone can make up methods, and so an unlimited number of labels. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** In seconds. A quote takes a millisecond or less, a publish as long as its website. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Times each request by the pattern of its route. Addresses would make an unlimited number of labels. */
export function timeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'How long requests took until their reply was ready, by method, pattern of the route, and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  // Not `onResponse`, which does not run if the client has left: then a webhook that took too long would be missing.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const method = METHODS.includes(request.method) ? request.method : 'other'
    const route = request.routeOptions.url ?? 'none'
    durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
}

/** Counts how publishes end. Call it before any route exists. */
export function countPublishes(app: FastifyInstance, registry: Registry): void {
  const publishes = new Counter({
    name: 'placard_publish_total',
    help: 'Publishes by outcome: published, replayed, or the code of the error.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ALERTED) publishes.inc({ outcome }, 0)
  app.addHook('onRoute', route => {
    if (route.url !== PUBLISH_PATH || route.method !== 'POST') return
    const count: RouteOptions['onSend'] = (_request, reply, payload, done) => {
      const { statusCode } = reply
      const outcome = statusCode === 201 ? 'published' : statusCode === 200 ? 'replayed' : codeOf(String(payload))
      publishes.inc({ outcome })
      done(null, payload)
    }
    route.onSend = [route.onSend ?? [], count].flat()
  })
}

/** The outcomes in alerts. They begin at 0, because Prometheus sees no increase in a series that begins at 1. */
const ALERTED = [
  'published',
  'review_rejected',
  'review_unavailable',
  'publication_unconfirmed',
  'internal_error',
  'not_ready',
]

const codeOf = (error: string): string => (JSON.parse(error) as { code: string }).code
