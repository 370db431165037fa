import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'

/**
 * Answers 405 with `Allow` if an address exists, but not for this method. Call it before adding any route, and call the
 * function it returns after the last one.
 */
export function rejectOtherMethods(app: FastifyInstance): () => void {
  const allowedByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const allowed = allowedByUrl.get(url) ?? new Set()
    for (const each of [method].flat()) allowed.add(each)
    allowedByUrl.set(url, allowed)
  })
  return () => {
    for (const [url, allowed] of [...allowedByUrl]) {
      const others = app.supportedMethods.filter(method => !allowed.has(method)) as HTTPMethods[]
      const allow = [...allowed].join(', ')
      app.route({
        method: others,
        url,
        // In the first hook, to avoid reading a body.
        onRequest: async (_request, reply) => {
          reply.header('allow', allow)
          throw new Problem('method_not_allowed')
        },
        handler: () => {},
      })
    }
  }
}
