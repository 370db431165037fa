import type { FastifyRequest } from 'fastify'
import { isbot } from 'isbot'

/**
 * Whether a request is one of a person who looks at a page in a browser: no program, no prefetch, no preview of a link,
 * and not asked for from within another page. What hides well enough is taken for a person.
 */
export function isBrowserVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false
  const purpose = `${headers['sec-purpose']} ${headers.purpose} ${headers['x-purpose']} ${headers['x-moz']}`
  if (/prefetch|prerender|preview/i.test(purpose)) return false
  const into = headers['sec-fetch-dest']
  if (into !== undefined && into !== 'document') return false
  const agent = headers['user-agent'] ?? ''
  return agent !== '' && !isbot(agent)
}
