import { type CannotTell, cannotTell, type Reject, reject } from '../destinations/verdict.ts'
import { answersTo, askDns, type DnsOptions } from './ask-dns.ts'
import { isPublicAddress } from './public-addresses.ts'

/** Vetted addresses to connect to, in the order to try them. Never empty. */
export interface Resolved {
  verdict: 'pass'
  addresses: readonly string[]
}

const ADDRESSES_MAX = 8

/**
 * Asks the DNS for the addresses of a host. Every answer must be public, not only the first: a name that answers with
 * both kinds is trying something. `not_public` is said in one way for all names, so that callers learn nothing about
 * inner networks.
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
  return failure === undefined ? reject('not_public') : cannotTell(`DNS: ${failure}`)
}
