import { type DnsList, listOfZone } from '../../../platform/config/review.ts'
import type { Destination } from '../../destinations/destination.ts'
import { registrableDomain } from '../../destinations/hostname.ts'
import { type FetchedPage, hostsOf } from '../page.ts'
import { flag, type Opinion, PASS, reject } from '../verdict.ts'
import { addressesOf } from './dns-filter.ts'
import type { Reviewer } from './reviewers.ts'

/** Public DNS blocklists that document their answers. */
export class DnsBlocklists implements Reviewer {
  readonly name = 'dns-blocklists'
  readonly version = '1'
  readonly isOnline = true
  readonly #zones: readonly { zone: string; list: DnsList }[]
  readonly #servers: readonly string[]

  /** @param servers resolvers; if empty, the system's. Most lists do not answer public resolvers. */
  constructor(zones: readonly string[], servers: readonly string[]) {
    this.#zones = zones.map(zone => ({ zone, list: listOfZone(zone) as DnsList }))
    this.#servers = servers
  }

  cacheKey(page: FetchedPage, destination: Destination): string {
    return domainsOf(page, destination).join()
  }

  async review(page: FetchedPage, destination: Destination, signal: AbortSignal): Promise<Opinion> {
    const asked = domainsOf(page, destination).flatMap(domain =>
      this.#zones.map(async ({ zone, list }) => {
        const addresses = (await addressesOf(`${domain}.${zone}`, this.#servers, signal)) ?? []
        return addresses.flatMap(address => {
          const meaning = list.meaningOf(address)
          // Errors of the list, and codes added later, are not an answer.
          if (meaning === undefined) throw new Error(`${list.name} answered with ${address}`)
          return { ...meaning, evidence: { domain, list: list.name, code: address, means: meaning.means } }
        })
      }),
    )
    const settled = await Promise.allSettled(asked)
    const found = settled.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
    const listed = found.find(({ refuses }) => refuses)
    if (listed) return reject(listed.reason, undefined, listed.evidence)
    const failed = settled.find(each => each.status === 'rejected')
    if (failed) throw failed.reason
    const [noted] = found
    return noted ? flag(noted.reason, noted.evidence) : PASS
  }
}

const domainsOf = (page: FetchedPage, destination: Destination): string[] => [
  ...new Set(hostsOf(page, destination).map(registrableDomain)),
]
