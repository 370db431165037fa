import type { onRequestHookHandler } from 'fastify'
import type { Links } from './links.ts'
import { Problem } from './problem.ts'

/**
 * Refuses a request that a browser sent from another origin (spec 1, 7.1). Servers send neither header. Our own pages
 * may call; `Origin: null` (sandboxed frames, redirects) and other subdomains may not.
 */
export function rejectCrossOrigin(links: Links): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    const foreignOrigin = headers.origin !== undefined && headers.origin !== links.base
    const site = headers['sec-fetch-site']
    const isForeign = foreignOrigin || site === 'cross-site' || site === 'same-site'
    done(isForeign ? new Problem('cross_origin_rejected') : undefined)
  }
}
