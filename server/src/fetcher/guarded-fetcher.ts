import { lookup } from 'node:dns/promises'
import type { Destination } from '../destinations/destination.ts'
import { registrableDomain } from '../destinations/hostname.ts'
import { cannotTell, reject } from '../destinations/verdict.ts'
import type { Use } from '../metrics/measured.ts'
import type { Certificate } from '../reading/page.ts'
import { createSlots } from '../slots.ts'
import { certificateOf, connect, type Target } from './connect.ts'
import { type ConnectTo, findConnectTo } from './connect-to.ts'
import { endOf, FetchEnded } from './fetch-ended.ts'
import { httpExchange } from './http-exchange.ts'
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
  /** The agent to name; by default, this service. */
  userAgent?: string
}

interface FetchedDocument {
  /** Final address after redirects. */
  url: URL
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Of the final hop; null without TLS. */
  certificate: Certificate | null
  /** Decoded. */
  body: Buffer
}

/** Fetches one document from the visited website. Never throws: resolves to what ended the fetch. */
export type Get = (destination: Destination, wanted: WantedDocument) => Promise<FetchedDocument | FetchEnded>

/** A message to post, as JSON. */
export interface Message {
  headers: Record<string, string>
  body: string
}

/**
 * Posts a message to the visited website, under the same rules, but follows no redirect and does not read what comes
 * with the status. Never throws: resolves to the status of the reply, or to what ended the request.
 */
type Post = (destination: Destination, message: Message) => Promise<number | FetchEnded>

export interface GuardedFetcher {
  /**
   * Waits for a turn at the destination's website and holds it while `act` fetches documents there, one after another,
   * or posts to it, within one time limit. Resolves to the result of `act`, or to the end of a visit that waited too long.
   *
   * @param stop aborts the current fetch, like the time limit
   */
  visit<T>(
    destination: Destination,
    act: (get: Get, post: Post) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T | FetchEnded>
  /** How many visit, and how many wait. */
  use(): Use
}

/**
 * Creates the guarded fetcher, the only way this service reads other people's websites, or posts to them. It cannot be turned against its
 * own network: it checks every hop, and connects to exactly the address it checked.
 */
export function createGuardedFetcher(options: GuardedFetcherOptions): GuardedFetcher {
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits }
  const slots = createSlots(limits)

  return {
    use: slots.use,
    async visit(destination, act, stop) {
      const leave = await slots.enter(registrableDomain(destination.hostname))
      if (leave === undefined) return new FetchEnded(cannotTell('too many fetches in progress'))
      const ending = endAfter(limits.totalMs, stop)
      try {
        const hop = { ...options, limits, signal: ending.signal }
        return await act(
          (document, wanted) => getInTime(document, { ...hop, wanted }),
          (address, message) => postInTime(address, message, hop),
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
  limits: FetchLimits
  signal: AbortSignal
}

type GetOptions = HopOptions & { wanted: WantedDocument }

async function getInTime(
  destination: Destination,
  options: GetOptions,
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

async function followHops(destination: Destination, options: GetOptions): Promise<FetchedDocument> {
  const { wanted: kind, limits, links, signal } = options
  const userAgent = kind.userAgent ?? userAgentOf(options)
  let url = new URL(destination.url)
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    signal.throwIfAborted()
    const socket = await connect(await targetOf(url, options), limits.connectMs, signal)
    // Nothing can be read off a socket once it is closed.
    const certificate = certificateOf(socket)
    const answer = await httpGet(url, socket, { kind, userAgent, limits, signal })
    if ('body' in answer) return { url, certificate, ...answer }
    url = followRedirect(url, answer.location, links.hostname)
  }
  throw new FetchEnded(reject('not_a_web_page', `It redirects more than ${limits.redirectsMax} times.`))
}

async function postInTime(
  destination: Destination,
  { headers, body }: Message,
  options: HopOptions,
): Promise<number | FetchEnded> {
  const { limits, signal } = options
  try {
    const url = new URL(destination.url)
    const socket = await connect(await targetOf(url, options), limits.connectMs, signal)
    const all = { 'user-agent': userAgentOf(options), 'content-type': 'application/json', ...headers }
    return await httpExchange(
      url,
      socket,
      { method: 'POST', headers: all, body, bodyMaxBytes: 0, limits, signal },
      ({ statusCode }) => statusCode,
    )
  } catch (error) {
    return endOf(error)
  }
}

const userAgentOf = ({ version, links }: GuardedFetcherOptions): string =>
  `Placard/${version} (+${links.agentGuide})`

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
