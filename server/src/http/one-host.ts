import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

/** A host name or IP address, as in a URL, and an optional port. */
const HOST = /^([\w.~-]+|\[[\da-f:.]+\])(:\d*)?$/i

/**
 * The problem with a request that does not name its host exactly once (RFC 9112, 3.2), because a proxy and this service
 * could each believe a different one. HTTP/1.0 may name none, and probes of load balancers use that.
 */
export function hostProblem({ raw }: FastifyRequest): Problem | undefined {
  const { rawHeaders, httpVersionMinor } = raw
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (++hosts > 1 || !HOST.test(rawHeaders[at + 1] ?? '')) return invalid()
  }
  return hosts === 0 && httpVersionMinor !== 0 ? invalid() : undefined
}

const invalid = () =>
  new Problem('invalid_request', {
    detail: 'Send the Host header once, with one host and an optional port.',
  })
