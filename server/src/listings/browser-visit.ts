import type { FastifyRequest } from 'fastify'
import { isbot } from 'isbot'

/**
 * Whether a person opened a page in a browser: not a program, a prefetch, a link preview or a request from within
 * another page. A program that hides well enough counts as a person.
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
