import { promises as dns } from 'node:dns'
import type { Destination } from '../../destinations/destination.ts'
import { type FetchedPage, hostsOf } from '../page.ts'
import { cannotTell, type Opinion, PASS, reject } from '../verdict.ts'
import type { Reviewer } from './reviewers.ts'

interface Resolvers {
  /** Answers that harmful names do not exist, as Quad9 does. */
  filtering: string
  /** The unfiltered resolver of the same provider. */
  plain: string
}

/** A resolver that hides harmful names, compared with one that does not. */
export class DnsFilter implements Reviewer {
  readonly name = 'dns-filter'
  readonly version = '1'
  readonly isOnline = true
  /**
   * It is never paused: the owner of a name can keep its servers from answering these resolvers, which would stop the
   * review of all others.
   */
  readonly limits = { failuresMax: Number.POSITIVE_INFINITY }
  readonly #resolvers: Resolvers

  constructor(resolvers: Resolvers) {
    this.#resolvers = resolvers
  }

  cacheKey(page: FetchedPage, destination: Destination): string {
    return hostsOf(page, destination).join()
  }

  async review(page: FetchedPage, destination: Destination, signal: AbortSignal): Promise<Opinion> {
    const { filtering, plain } = this.#resolvers
    for (const host of hostsOf(page, destination)) {
      const filtered = await addressesOf(host, [filtering], signal)
      // A filter of another kind, whose answers we cannot interpret: Quad9 does not answer this.
      if (filtered?.some(address => address === '0.0.0.0')) {
        return cannotTell('the filtering resolver answers 0.0.0.0 instead of saying that there is no such name')
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

/**
 * Returns the IPv4 addresses of a name from the given resolvers; none if it exists without any. Undefined if there is
 * no such name.
 *
 * @throws Error if the resolvers give no answer
 */
export async function addressesOf(
  name: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 1 })
  if (servers.length > 0) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    // The dot at the end excludes the machine's search domains.
    return await resolver.resolve4(`${name}.`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND') return undefined
    if (code === 'ENODATA') return []
    throw new Error(`the resolver did not answer: ${code}`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
