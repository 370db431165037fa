import { type CannotTell, cannotTell, type Reject, reject } from '../destinations/verdict.ts'
import { answersTo, askDns, type DnsOptions } from './ask-dns.ts'
import { isPublicAddress } from './public-addresses.ts'

/** Checked addresses, in the order to try them. Never empty. */
export interface Resolved {
  verdict: 'pass'
  addresses: readonly string[]
}

const ADDRESSES_MAX = 8

/**
 * Resolves a host. Every address must be public, not only the first: a name with both kinds is up to something. All
 * names get the same `not_public`, so that callers learn nothing about inner networks.
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
