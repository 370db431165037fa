import { lookup } from 'node:dns/promises'
import type { Destination } from '../destinations/destination.ts'
import { registrableDomain } from '../destinations/hostname.ts'
import { cannotTell, reject } from '../destinations/verdict.ts'
import { createSlots } from '../slots.ts'
import { connect, type Target } from './connect.ts'
import { type ConnectTo, findConnectTo } from './connect-to.ts'
import { endOf, FetchEnded } from './fetch-ended.ts'
import { type DocumentKind, httpGet } from './http-get.ts'
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from './limits.ts'
import { followRedirect } from './redirects.ts'
import { resolvePublic } from './resolve.ts'

export interface GuardedFetcherOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  connectTo: readonly ConnectTo[]
  /** This service's own address: no redirect may lead to it, and the User-Agent names its agent guide. */
  links: { readonly hostname: string; readonly agentGuide: string }
  version: string
  /** Smaller limits for tests. */
  limits?: Partial<FetchLimits>
}

export interface WantedDocument extends DocumentKind {
  /** For the document with all its hops; by default, all the time the visit has left. */
  timeoutMs?: number
}

interface FetchedDocument {
  /** Final address after redirects. */
  url: URL
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Decoded. */
  body: Buffer
}

/** Fetches one document from the visited website. Never throws: resolves to what ended the fetch. */
export type Get = (destination: Destination, wanted: WantedDocument) => Promise<FetchedDocument | FetchEnded>

export interface GuardedFetcher {
  /**
   * Waits for a turn at the destination's website and holds it while `act` fetches documents there, one after another,
   * within one time limit. Resolves to the result of `act`, or to the end of a visit that waited too long.
   *
   * @param stop aborts the current fetch, like the time limit
   */
  visit<T>(
    destination: Destination,
    act: (get: Get) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T | FetchEnded>
}

/**
 * Creates the guarded fetcher, the only way this service reads other people's websites. It cannot be turned against its
 * own network: it checks every hop, and connects to exactly the address it checked.
 */
export function createGuardedFetcher(options: GuardedFetcherOptions): GuardedFetcher {
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits }
  const slots = createSlots(limits)

  return {
    async visit(destination, act, stop) {
      const leave = await slots.enter(registrableDomain(destination.hostname))
      if (leave === undefined) return new FetchEnded(cannotTell('too many fetches in progress'))
      const ending = endAfter(limits.totalMs, stop)
      try {
        return await act((document, wanted) =>
          getInTime(document, { ...options, wanted, limits, signal: ending.signal }),
        )
      } finally {
        ending.cancel()
        leave()
      }
    },
  }
}

/** A signal that aborts after `timeoutMs`, or when `stop` does. */
function endAfter(timeoutMs: number, stop?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new Error('the fetch took too long')), timeoutMs)
  const end = () => ending.abort(stop?.reason)
  // `cancel` removes it: a signal that lives as long as the process would keep every listener.
  stop?.addEventListener('abort', end)
  if (stop?.aborted) end()
  return {
    signal: ending.signal,
    cancel() {
      clearTimeout(timer)
      stop?.removeEventListener('abort', end)
    },
  }
}

interface HopOptions extends GuardedFetcherOptions {
  wanted: WantedDocument
  limits: FetchLimits
  signal: AbortSignal
}

async function getInTime(
  destination: Destination,
  options: HopOptions,
): Promise<FetchedDocument | FetchEnded> {
  const ending = endAfter(options.wanted.timeoutMs ?? options.limits.totalMs)
  try {
    const signal = AbortSignal.any([options.signal, ending.signal])
    return await followHops(destination, { ...options, signal })
  } catch (error) {
    return endOf(error)
  } finally {
    ending.cancel()
  }
}

async function followHops(destination: Destination, options: HopOptions): Promise<FetchedDocument> {
  const { wanted: kind, limits, links, signal } = options
  const userAgent = `Placard/${options.version} (+${links.agentGuide})`
  let url = new URL(destination.url)
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    signal.throwIfAborted()
    const socket = await connect(await targetOf(url, options), limits.connectMs, signal)
    const answer = await httpGet(url, socket, { kind, userAgent, limits, signal })
    if ('body' in answer) return { url, ...answer }
    url = followRedirect(url, answer.location, links.hostname)
  }
  throw new FetchEnded(reject('not_a_web_page', `It redirects more than ${limits.redirectsMax} times.`))
}

/** Where to connect for a hop: where an operator's rule says, or addresses that are all public. */
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
