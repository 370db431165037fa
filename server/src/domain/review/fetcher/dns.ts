import { Resolver } from 'node:dns/promises'
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type CannotTell, cannotTell, type Reject, reject } from '../verdict.ts'

/** IPv4: everything is public except these. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the platform service of one large cloud, reachable from every machine in it
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map(range => ipaddr.IPv4.parseCIDR(range))

/** IPv6: only this block is public. That excludes mapped, translated, local and multicast addresses. */
const PUBLIC_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Parts of that block which are not public. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20'].map(
  range => ipaddr.IPv6.parseCIDR(range),
)

/** Returns whether connecting to a literal address is allowed: only to a plainly spelled public unicast address. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) {
    const address = ipaddr.IPv4.parse(ip)
    return !NOT_PUBLIC_V4.some(range => address.match(range))
  }
  if (!isIPv6(ip) || ip.includes('%')) return false
  const address = ipaddr.IPv6.parse(ip)
  return address.match(PUBLIC_V6) && !NOT_PUBLIC_V6.some(range => address.match(range)) && !isIsatap(address)
}

/** ISATAP carries an IPv4 address, which may be private, in the interface id: [02]00:5efe:a.b.c.d (RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

export interface DnsOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  /** For all queries together. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface Answers<Answer> {
  answers: Answer[]
  /** Why there is no answer now. Undefined if there was one, even an empty one. */
  failure?: string
}

/** Errors that mean that nothing exists under this name. All others may be temporary. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * Queries the DNS directly: without hosts file, search domains or special treatment of literals. The resolver serves
 * only these queries and caches nothing.
 */
export async function askDns<Result>(
  { dnsServers, timeoutMs, signal }: DnsOptions,
  ask: (resolver: Resolver) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)
  const cancel = () => resolver.cancel()
  const timer = setTimeout(cancel, timeoutMs)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await ask(resolver)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/** The result of one query. */
export async function answersTo<Answer>(question: Promise<Answer[]>): Promise<Answers<Answer>> {
  try {
    return { answers: await question }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return NOTHING_THERE.has(code) ? { answers: [] } : { answers: [], failure: code }
  }
}

const RECORDS_MAX = 20

/** Several times the length of a proof of ours. */
const TEXT_MAX_LENGTH = 1_000

/**
 * Returns the TXT records of a name, each joined from its pieces: at most 20 of 1,000 characters, and none if there is
 * no such name. Undefined if the DNS cannot be reached.
 */
export async function lookUpTxt(name: string, options: DnsOptions): Promise<string[] | undefined> {
  const { answers, failure } = await askDns(options, resolver => answersTo(resolver.resolveTxt(name)))
  return failure === undefined
    ? answers.slice(0, RECORDS_MAX).map(pieces => pieces.join('').slice(0, TEXT_MAX_LENGTH))
    : undefined
}

export interface Resolved {
  verdict: 'pass'
  addresses: readonly string[]
}

const ADDRESSES_MAX = 8

/** Codes of queries that got no answer in time. */
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * Resolves a host. Every address must be public, not only the first: a name with both kinds is suspicious. All names
 * get the same `not_public`, so that callers learn nothing about inner networks.
 */
export async function resolvePublic(
  hostname: string,
  options: Required<DnsOptions>,
): Promise<Resolved | Reject | CannotTell> {
  const [v4, v6] = await askDns(options, resolver =>
    Promise.all([answersTo(resolver.resolve4(hostname)), answersTo(resolver.resolve6(hostname))]),
  )
  return judge([...v4.answers, ...v6.answers], v4.failure ?? v6.failure)
}

function judge(addresses: readonly string[], failure: string | undefined): Resolved | Reject | CannotTell {
  if (!addresses.every(isPublicAddress)) return reject('not_public')
  if (addresses.length > 0) return { verdict: 'pass', addresses: addresses.slice(0, ADDRESSES_MAX) }
  if (failure === undefined) return reject('not_public')
  const detail = 'The name of the website could not be looked up in the DNS.'
  return cannotTell(`DNS: ${failure}`, SILENT.has(failure) ? 'site_slow' : 'site_unreachable', detail)
}
