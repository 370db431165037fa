import type { FastifyRequest } from 'fastify'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'

/**
 * Lets a request through that a page of our own made. Unlike publishing, which servers call without these headers,
 * these pages are only ever used from a browser, so a request that says nothing is refused too.
 *
 * Sec-Fetch-Site decides where it is sent, because a form on a page without referrer has `Origin: null`. Browsers
 * leave Sec-Fetch-Site out on plain http to anything but loopback: there a form cannot prove where it comes from.
 */
export function requireSameOrigin(links: Links) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const site = headers['sec-fetch-site']
    const own = site === undefined ? headers.origin === links.base : site === 'same-origin'
    if (!own) {
      throw new Problem('cross_origin_rejected', {
        detail: 'This address takes requests from our own pages only.',
      })
    }
  }
}
