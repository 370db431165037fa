import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

/** A name or an address as it stands in an address, and a port. */
const HOST = /^([\w.~-]+|\[[\da-f:.]+\])(:\d*)?$/i

/**
 * What is wrong where a request does not name its host exactly once (RFC 9112, 3.2): a proxy and this service could each
 * believe another one. HTTP/1.0 needs none, and probes of load balancers use that.
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
    detail: 'The Host header must be sent once, with one host and perhaps a port.',
  })
