import type { Destination } from '../../destinations/destination.ts'
import { cannotTell, type Opinion, PASS, reject } from '../../destinations/verdict.ts'
import type { FetchedPage } from '../../reading/page.ts'
import type { Reviewer } from '../reviewers.ts'
import { addressesOf } from './resolve.ts'

interface Resolvers {
  /** Says that harmful names do not exist, as Quad9 does. */
  filtering: string
  /** The same without a filter. */
  plain: string
}

/** A resolver that hides harmful names, compared with one that does not. */
export class DnsFilter implements Reviewer {
  readonly name = 'dns-filter'
  readonly version = '1'
  readonly isOnline = true
  /** It never rests: whoever has a name can keep its servers from answering these resolvers, and would stop all others. */
  readonly limits = { failuresMax: Number.POSITIVE_INFINITY }
  readonly #resolvers: Resolvers

  constructor(resolvers: Resolvers) {
    this.#resolvers = resolvers
  }

  about(page: FetchedPage, destination: Destination): string {
    return hostsOf(page, destination).join()
  }

  async review(page: FetchedPage, destination: Destination, signal: AbortSignal): Promise<Opinion> {
    const { filtering, plain } = this.#resolvers
    for (const host of hostsOf(page, destination)) {
      const filtered = await addressesOf(host, [filtering], signal)
      // Not how Quad9 answers: a filter of another kind, whose answers we cannot read.
      if (filtered?.some(address => address === '0.0.0.0')) {
        return cannotTell(
          'the filtering resolver answers 0.0.0.0 instead of saying that there is no such name',
        )
      }
      if (filtered !== undefined) continue
      if ((await addressesOf(host, [plain], signal)) === undefined) {
        return cannotTell('neither resolver knows the name')
      }
      return reject('malicious', undefined, { host, resolver: filtering })
    }
    return PASS
  }
}

const hostsOf = (page: FetchedPage, { hostname }: Destination) => [
  ...new Set([hostname, new URL(page.url).hostname]),
]
