import { Resolver } from 'node:dns/promises'
import { type CannotTell, cannotTell, type Reject, reject } from '../review/verdict.ts'
import { isPublicAddress } from './public-addresses.ts'

/** Vetted addresses to connect to, in the order to try them. Never empty. */
export interface Resolved {
  verdict: 'pass'
  addresses: readonly string[]
}

export interface ResolveOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  /** For both questions together. */
  timeoutMs: number
  signal: AbortSignal
}

const ADDRESSES_MAX = 8

/** Answers that say for good that there is nothing under the name; all others may be different in a minute. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * Asks the DNS itself for the addresses of a host: never the hosts file, never a search domain, and a literal gets no
 * special treatment. Every answer must be public, not only the first: a name that answers with both kinds is trying
 * something. `not_public` is said in one way for all names, so that callers learn nothing about inner networks.
 */
export async function resolvePublic(
  hostname: string,
  options: ResolveOptions,
): Promise<Resolved | Reject | CannotTell> {
  const resolver = new Resolver({ timeout: Math.ceil(options.timeoutMs / 3), tries: 2 })
  if (options.dnsServers.length > 0) resolver.setServers(options.dnsServers)
  const cancel = () => resolver.cancel()
  const timer = setTimeout(cancel, options.timeoutMs)
  options.signal.addEventListener('abort', cancel, { once: true })
  try {
    const [v4, v6] = await Promise.all([ask(resolver.resolve4(hostname)), ask(resolver.resolve6(hostname))])
    return judge([...v4.addresses, ...v6.addresses], v4.failure ?? v6.failure)
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', cancel)
  }
}

interface Answers {
  addresses: string[]
  /** Why the question got no answer for now; undefined when it was answered, be it with nothing. */
  failure?: string
}

async function ask(question: Promise<string[]>): Promise<Answers> {
  try {
    return { addresses: await question }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return NOTHING_THERE.has(code) ? { addresses: [] } : { addresses: [], failure: code }
  }
}

function judge(addresses: readonly string[], failure: string | undefined): Resolved | Reject | CannotTell {
  if (!addresses.every(isPublicAddress)) return reject('not_public')
  if (addresses.length > 0) return { verdict: 'pass', addresses: addresses.slice(0, ADDRESSES_MAX) }
  return failure === undefined ? reject('not_public') : cannotTell(`DNS: ${failure}`)
}
