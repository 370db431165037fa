import type { IncomingHttpHeaders } from 'node:http'

/** What proxies, load balancers and tunnels add, by any of the names in use. No browser sends one of these by itself. */
const NAMES = new Set(['forwarded', 'via', 'cdn-loop', 'client-ip', 'x-remote-addr', 'x-cloud-trace-context'])
const PREFIXES =
  /^(x-forwarded|x-original-|cf-|fly-|fastly-|x-envoy-|x-amzn-|x-azure-|x-arr-|x-vercel-|x-nf-|tailscale-)/
const SUFFIXES = /-(client|real|source|user|connecting|proxyuser)-?(ip|port|host|address)(v6)?$/

/** Whether some header says that a request came through a proxy. A proxy that says nothing is not seen. */
export const saysThroughProxy = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(name => NAMES.has(name) || PREFIXES.test(name) || SUFFIXES.test(name))
