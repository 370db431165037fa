import { lookup } from 'node:dns/promises'
import { cannotTell, type Reject, reject } from '../review/verdict.ts'
import { connect, type Target } from './connect.ts'
import { type ConnectTo, findConnectTo } from './connect-to.ts'
import type { Destination } from './destination.ts'
import { exchange } from './exchange.ts'
import { FetchEnded, verdictOn } from './fetch-ended.ts'
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from './fetch-limits.ts'
import { createSlots } from './fetch-slots.ts'
import { registrableDomain } from './hostname.ts'
import type { Fetched, FetchPage } from './page.ts'
import { readPage } from './read-page.ts'
import { followRedirect } from './redirects.ts'
import { resolvePublic } from './resolve.ts'

export interface PageFetcherOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  connectTo: readonly ConnectTo[]
  /** Where this service is: no redirect may lead to it, and website owners read there who asks. */
  links: { readonly hostname: string; readonly agentGuide: string }
  version: string
  /** Smaller limits, for tests. */
  limits?: Partial<FetchLimits>
}

/**
 * Makes the one way this service reads other people's websites, built so that it cannot be turned against the network it
 * runs in: every hop is checked again, and what was checked is what is connected to.
 */
export function createPageFetcher(options: PageFetcherOptions): FetchPage {
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits }
  const slots = createSlots(limits)

  return async function fetchPage(destination) {
    const leave = await slots.enter(registrableDomain(destination.hostname))
    if (leave === undefined) return cannotTell('too many fetches under way')
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(new Error('the fetch took too long')), limits.totalMs)
    try {
      return await followHops(destination, { ...options, limits, signal: ending.signal })
    } catch (error) {
      return verdictOn(error)
    } finally {
      clearTimeout(timer)
      leave()
    }
  }
}

interface HopOptions extends PageFetcherOptions {
  limits: FetchLimits
  signal: AbortSignal
}

async function followHops(destination: Destination, options: HopOptions): Promise<Fetched | Reject> {
  const { limits, links, signal } = options
  const userAgent = `Placard/${options.version} (+${links.agentGuide})`
  let url = new URL(destination.url)
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    signal.throwIfAborted()
    const socket = await connect(await targetOf(url, options), limits.connectMs, signal)
    const answer = await exchange(url, socket, { userAgent, limits, signal })
    if ('body' in answer) return readPage(answer.body, url, answer.headers, limits.depthMax)
    url = followRedirect(url, answer.location, links.hostname)
  }
  throw new FetchEnded(reject('not_a_web_page', `It redirects more than ${limits.redirectsMax} times.`))
}

/** Where to connect for a hop: the place a rule of the operator names, else addresses that were all found public. */
async function targetOf(url: URL, { connectTo, dnsServers, limits, signal }: HopOptions): Promise<Target> {
  const port = url.protocol === 'https:' ? 443 : 80
  const serverName = url.protocol === 'https:' ? url.hostname : undefined
  const rule = findConnectTo(connectTo, url.hostname, port)
  if (rule !== undefined) {
    const { address } = await lookup(rule.toHost)
    return { addresses: [address], port: rule.toPort, serverName }
  }
  const resolved = await resolvePublic(url.hostname, { dnsServers, timeoutMs: limits.dnsMs, signal })
  if (resolved.verdict !== 'pass') throw new FetchEnded(resolved)
  return { addresses: resolved.addresses, port, serverName }
}
