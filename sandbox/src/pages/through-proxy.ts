import type { IncomingHttpHeaders } from 'node:http'

/** Headers that proxies, load balancers and tunnels add. No browser sends any of them on its own. */
const NAMES = new Set(['forwarded', 'via', 'cdn-loop', 'client-ip', 'x-remote-addr', 'x-cloud-trace-context'])
const PREFIXES =
  /^(x-forwarded|x-original-|cf-|fly-|fastly-|x-envoy-|x-amzn-|x-azure-|x-arr-|x-vercel-|x-nf-|tailscale-)/
const SUFFIXES = /-(client|real|source|user|connecting|proxyuser)-?(ip|port|host|address)(v6)?$/

/**
 * Returns whether any header shows that a request came through a proxy. A proxy that adds no header is not recognised.
 */
export const saysThroughProxy = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(name => NAMES.has(name) || PREFIXES.test(name) || SUFFIXES.test(name))
