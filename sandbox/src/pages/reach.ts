import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { saysThroughProxy } from './through-proxy.ts'

/** Whether a host is this very computer, which nobody else reaches. */
const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|\[?::1\]?|([\w-]+\.)*localhost)$/i.test(host)

/**
 * Through a proxy on this machine everybody comes from loopback. So the name that was called counts, too, every header
 * that speaks of a proxy, and the version of HTTP: nginx by itself asks in 1.0 and says nothing.
 *
 * @param from addresses that are this machine, too: it reaches into a container from the gateway of the network there
 */
export function isOfThisMachine({ socket, headers, raw }: FastifyRequest, from: readonly string[]): boolean {
  const client = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return (
    (isLoopback(client) || from.includes(client)) &&
    isLoopback((headers.host ?? '').replace(/:\d*$/, '')) &&
    raw.httpVersion === '1.1' &&
    !saysThroughProxy(headers)
  )
}

/**
 * Whether a form comes from a page of our own. Browsers leave Sec-Fetch-Site out on plain http to anything but loopback:
 * the origin decides there. A form whose page has a public address came through a proxy that says nothing of itself.
 */
export function isFromOwnPage({ origin, ...headers }: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? origin === baseUrl : site === 'same-origin'
  return isOwn && (origin === undefined || origin === 'null' || isLoopbackOrigin(origin))
}

const isLoopbackOrigin = (origin: string): boolean => URL.canParse(origin) && isLoopback(new URL(origin).hostname)
