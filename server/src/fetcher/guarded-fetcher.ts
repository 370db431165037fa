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
  /** Where this service is: no redirect may lead to it, and website owners read there who asks. */
  links: { readonly hostname: string; readonly agentGuide: string }
  version: string
  /** Smaller limits for tests. */
  limits?: Partial<FetchLimits>
}

export interface WantedDocument extends DocumentKind {
  /** For the document with all its hops, where it may not take all the time the visit has left. */
  timeoutMs?: number
}

interface FetchedDocument {
  /** Final address after redirects. */
  url: URL
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
  /** With the content coding undone. */
  body: Buffer
}

/** Fetches one document of the website that is visited. Answers what ended it instead; throws for nothing. */
export type Get = (destination: Destination, wanted: WantedDocument) => Promise<FetchedDocument | FetchEnded>

export interface GuardedFetcher {
  /**
   * Waits for a turn at the website of a destination and holds it while `act` fetches from there: one document after
   * another, all within one time limit. Answers what `act` does, or the end of a visit that had to wait too long.
   *
   * @param stop ends what is being fetched, as the time limit does
   */
  visit<T>(
    destination: Destination,
    act: (get: Get) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T | FetchEnded>
}

/**
 * Makes the one way this service reads other people's websites, built so that it cannot be turned against the network it
 * runs in: every hop is checked again, and what was checked is what is connected to.
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

/** A signal that ends what takes longer than `timeoutMs`, or is to be stopped. */
function endAfter(timeoutMs: number, stop?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new Error('the fetch took too long')), timeoutMs)
  const end = () => ending.abort(stop?.reason)
  // Taken off again: a signal that lives as long as the process would keep whatever ever listened to it.
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
