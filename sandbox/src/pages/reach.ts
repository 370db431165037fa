import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Whether a host is this computer, which no other computer reaches. */
const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|\[?::1\]?|([\w-]+\.)*localhost)$/i.test(host)

/**
 * Returns whether a request comes from this machine. Through a local proxy, every request comes from loopback. So the
 * host name also counts, and so do headers of proxies and the version of HTTP: by default, nginx uses 1.0 and adds no
 * header.
 *
 * @param from addresses that also belong to this machine: requests reach a container from the gateway of its network
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
 * Returns whether a form comes from one of our own pages. On plain http, browsers send Sec-Fetch-Site only to loopback;
 * otherwise, the origin decides. A form whose page has a public address came through a proxy that adds no header.
 */
export function isFromOwnPage({ origin, ...headers }: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? origin === baseUrl : site === 'same-origin'
  return isOwn && (origin === undefined || origin === 'null' || isLoopbackOrigin(origin))
}

const isLoopbackOrigin = (origin: string): boolean => URL.canParse(origin) && isLoopback(new URL(origin).hostname)

/** Headers that proxies, load balancers and tunnels add. No browser sends any of them on its own. */
const NAMES = new Set(['forwarded', 'via', 'cdn-loop', 'client-ip', 'x-remote-addr', 'x-cloud-trace-context'])
const PREFIXES =
  /^(x-forwarded|x-original-|cf-|fly-|fastly-|x-envoy-|x-amzn-|x-azure-|x-arr-|x-vercel-|x-nf-|tailscale-)/
const SUFFIXES = /-(client|real|source|user|connecting|proxyuser)-?(ip|port|host|address)(v6)?$/

/**
 * Returns whether any header shows that a request came through a proxy. A proxy that adds no header is not recognised.
 */
const saysThroughProxy = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(name => NAMES.has(name) || PREFIXES.test(name) || SUFFIXES.test(name))
