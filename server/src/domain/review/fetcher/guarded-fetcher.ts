import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'
import type { ConnectTo } from '../../../platform/config/values.ts'
import type { Use } from '../../../platform/lib/diagnostics.ts'
import { createSlots } from '../../../platform/lib/slots.ts'
import type { SignedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Destination } from '../../destinations/destination.ts'
import { isSameHost, registrableDomain } from '../../destinations/hostname.ts'
import type { Certificate } from '../page.ts'
import { cannotTell, reject } from '../verdict.ts'
import { certificateOf, connect, type Target } from './connect.ts'
import { resolvePublic } from './dns.ts'
import { type DocumentKind, httpExchange, httpGet } from './http-get.ts'
import { DEFAULT_FETCH_LIMITS, endOf, FetchEnded, type FetchLimits, LargeBodyPermit, TimedOut } from './limits.ts'
import { OwnNetwork } from './own-network.ts'
import { followRedirect, notListable } from './redirect.ts'

export interface GuardedFetcherOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  connectTo: readonly ConnectTo[]
  /** This service's own address. No redirect may lead to it, and the User-Agent names its agent guide. */
  links: { readonly hostname: string; readonly agentGuide: string }
  version: string
  /** Shared by all fetchers of the process. */
  network?: OwnNetwork
  /** Smaller limits for tests. */
  limits?: Partial<FetchLimits>
}

export interface WantedDocument extends DocumentKind {
  /** For the document with all its hops. The default is all the time left of the visit. */
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

/** Fetches one document from the visited website. Never throws: returns what ended the fetch. */
export type Get = (destination: Destination, wanted: WantedDocument) => Promise<FetchedDocument | FetchEnded>

/**
 * Posts a message to the visited website under the same rules, but follows no redirect and ignores the body of the
 * reply. Never throws: returns the status, or what ended the request.
 */
type Post = (destination: Destination, message: SignedMessage) => Promise<number | FetchEnded>

export interface GuardedFetcher {
  /**
   * Waits until the destination's website may be visited. Then runs `act`, which fetches documents there one after
   * another, or posts to it, within one time limit. Returns the result of `act`, or what ended a visit that waited too
   * long. For the service's own work, also ends a visit that may have failed because of this service's own network.
   *
   * @param options.stop aborts the current fetch, like the time limit
   * @param options.networks of the client who requested the visit, broadest first; omitted for the service's own work
   */
  visit<T>(
    destination: Destination,
    act: (get: Get, post: Post) => Promise<T>,
    options?: { stop?: AbortSignal; networks?: readonly string[] | undefined },
  ): Promise<T | FetchEnded>
  /** Returns the number of active and waiting visits. */
  use(): Use
}

/**
 * Creates the guarded fetcher, the only way in which this service reads other websites or posts to them. It cannot be
 * turned against its own network: it checks every hop, and connects to exactly the address it checked.
 */
export function createGuardedFetcher(options: GuardedFetcherOptions): GuardedFetcher {
  const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits }
  const { atOnceMax, largeBodiesMax, waitersMax, waitMs } = limits
  const { network = new OwnNetwork() } = options
  const slots = createSlots({ atOnceMax, waitersMax, waitMs, reserved: quarterOf(atOnceMax) })
  const largeBodies = createSlots({
    atOnceMax: largeBodiesMax,
    reserved: quarterOf(largeBodiesMax),
    waitersMax: atOnceMax,
    waitMs,
  })

  return {
    use: slots.use,
    async visit(destination, act, { stop, networks } = {}) {
      const release = await slots.acquire({ key: registrableDomain(destination.hostname), networks })
      if (release === undefined) return new FetchEnded(cannotTell('too many fetches in progress', 'busy'))
      const ending = endAfter(limits.totalMs, stop)
      const permit = new LargeBodyPermit(() => largeBodies.acquire({ networks }), ending.signal)
      try {
        const connection = { isFailing: false }
        const hop = { ...options, limits, signal: ending.signal, permit, network, connection }
        const result = await act(
          (document, wanted) => getInTime(document, { ...hop, wanted }),
          (address, message) => postInTime(address, message, hop),
        )
        const mayBeOurFault = networks === undefined && connection.isFailing && network.isSuspect
        return mayBeOurFault ? new FetchEnded(cannotTell('no website can be reached', 'busy')) : result
      } finally {
        ending.cancel()
        permit.release()
        release()
      }
    },
  }
}

const quarterOf = (count: number): number => Math.floor(count / 4)

/** A signal that aborts after `timeoutMs`, or when `stop` does. */
function endAfter(timeoutMs: number, stop?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const ending = new AbortController()
  const timer = setTimeout(
    () => ending.abort(new TimedOut('the fetch took too long', 'did not send its page', timeoutMs)),
    timeoutMs,
  )
  const end = () => ending.abort(stop?.reason)
  // `cancel` removes it. Otherwise, a signal that lives as long as the process would collect listeners.
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
  permit: LargeBodyPermit
  network: OwnNetwork
  /** Whether the last connection of the visit failed, perhaps because of our own network. */
  connection: { isFailing: boolean }
}

type GetOptions = HopOptions & { wanted: WantedDocument }

async function getInTime(destination: Destination, options: GetOptions): Promise<FetchedDocument | FetchEnded> {
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
  const { wanted: kind, limits, links, signal, permit } = options
  const userAgent = kind.userAgent ?? userAgentOf(options)
  let url = new URL(destination.url)
  // A page can also lead here by a refresh.
  if (isSameHost(url.hostname, links.hostname)) throw notListable()
  const visited = new Set<string>()
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    signal.throwIfAborted()
    visited.add(url.href)
    const socket = await openConnection(url, options)
    // A closed socket has no certificate any more.
    const certificate = certificateOf(socket)
    const answer = await httpGet(url, socket, { kind, userAgent, limits, signal, permit })
    if ('body' in answer) return { url, certificate, ...answer }
    url = followRedirect(url, answer.location, links.hostname)
  }
  const detail =
    visited.size > limits.redirectsMax
      ? `The website redirects more than ${limits.redirectsMax} times.`
      : 'The website redirects in a circle, perhaps because it needs a cookie. Let it show the page without one.'
  throw new FetchEnded(reject('not_a_web_page', detail))
}

/** Resolves a host of the visited website, and connects to it. @throws FetchEnded */
async function openConnection(url: URL, options: HopOptions): Promise<Socket> {
  const { limits, signal, network, connection } = options
  connection.isFailing = false
  let target: Target | undefined
  try {
    target = await targetOf(url, options)
    const socket = await connect(target, limits.connectMs, signal)
    network.noteConnected()
    return socket
  } catch (error) {
    const end = endOf(error)
    if (end.verdict.verdict === 'reject' || signal.aborted) throw end
    connection.isFailing = true
    network.noteUnreached(registrableDomain(url.hostname))
    throw target ? new FetchEnded({ ...end.verdict, isUnconnected: true }) : end
  }
}

async function postInTime(
  destination: Destination,
  { headers, body }: SignedMessage,
  options: HopOptions,
): Promise<number | FetchEnded> {
  const { limits, signal } = options
  try {
    const url = new URL(destination.url)
    const socket = await openConnection(url, options)
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

const userAgentOf = ({ version, links }: GuardedFetcherOptions): string => `Placard/${version} (+${links.agentGuide})`

/** Returns where to connect for a hop: as an operator's rule says, or to addresses that are all public. */
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

/** The first matching rule, as in curl, or undefined. */
function findConnectTo(rules: readonly ConnectTo[], host: string, port: number): ConnectTo | undefined {
  return rules.find(rule => (rule.host === '' || rule.host === host) && (rule.port === 0 || rule.port === port))
}
