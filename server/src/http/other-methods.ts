import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'

/**
 * Answers 405 with `Allow` where an address exists but not for the method asked. Call before any route is added; call
 * what it returns after the last one.
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
        // In the first hook, so that no body is read for it.
        onRequest: async (_request, reply) => {
          reply.header('allow', allow)
          throw new Problem('method_not_allowed')
        },
        handler: () => {},
      })
    }
  }
}
