import { expect } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { createPageFetcher } from '../../../../src/domain/review/fetcher/fetch-page.ts'
import {
  createGuardedFetcher,
  type GuardedFetcher,
  type GuardedFetcherOptions,
} from '../../../../src/domain/review/fetcher/guarded-fetcher.ts'
import type { FetchPage } from '../../../../src/domain/review/page.ts'
import { readers } from '../../../support/readers.ts'
import type { WebServer } from '../../../support/web-server.ts'

const LINKS = { hostname: 'placard.dev', agentGuide: 'https://placard.dev/agent-guide.md' }

/** A fetcher for which every website is the given server, or that asks the given name servers. */
export function guardedFetcherFor(
  server: WebServer | undefined,
  options: Partial<GuardedFetcherOptions> = {},
): GuardedFetcher {
  openBefore = openSockets()
  const connectTo = server ? [{ host: '', port: 0, toHost: '127.0.0.1', toPort: server.port }] : []
  return createGuardedFetcher({ dnsServers: [], connectTo, links: LINKS, version: '1.2.3', ...options })
}

/** A page fetcher on `guardedFetcherFor`. */
export const fetcherFor = (server: WebServer | undefined, options: Partial<GuardedFetcherOptions> = {}): FetchPage =>
  createPageFetcher(guardedFetcherFor(server, options), readers)

/** Fetches an address and checks that the fetcher left nothing open, here or there. */
export async function fetchFrom(
  server: WebServer,
  options: Partial<GuardedFetcherOptions> = {},
  address = 'http://acme.com/',
): ReturnType<FetchPage> {
  const fetched = await fetcherFor(server, options)(parseDestination(address))
  await nothingLeftOpen(server)
  return fetched
}

/** Waits until no connection is open that was not open before the last fetcher was made, here or at the server. */
export const nothingLeftOpen = (server: WebServer): Promise<void> =>
  eventually(() => server.open() === 0 && openSockets() <= openBefore)

/** Ends of TCP connections in this process, the server's included. */
const openSockets = () => process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length

// Files that run in one worker share its process, and its connection to PostgreSQL stays open between them.
let openBefore = 0

/** Waits until a condition holds. */
export async function eventually(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 10 }).toBe(true)
}
