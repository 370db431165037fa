import type { FastifyRequest } from 'fastify'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'

/**
 * Accepts only requests from our own pages. Only browsers use these pages, so a request without the headers is refused
 * too, unlike publishing, which servers call without them.
 *
 * Sec-Fetch-Site decides where it is sent, because a form on a page without a referrer has `Origin: null`. Over plain
 * http, browsers send Sec-Fetch-Site only to loopback; elsewhere such a form cannot prove its origin.
 */
export function requireSameOrigin(links: Links) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const site = headers['sec-fetch-site']
    const own = site === undefined ? headers.origin === links.base : site === 'same-origin'
    if (!own) {
      throw new Problem('cross_origin_rejected', {
        detail: 'This address only accepts requests from our own pages.',
      })
    }
  }
}
