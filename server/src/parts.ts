import type { FastifyBaseLogger } from 'fastify'
import { WEBHOOK_FETCH_LIMITS } from './domain/notifications/owner/deliver.ts'
import { createSiteProofChecker } from './domain/ownership/check-site-proof.ts'
import { openServiceKeys } from './domain/ownership/service-keys/recorded-keys.ts'
import { refuseOtherMoney } from './domain/payments/processors.ts'
import { createStripe } from './domain/payments/stripe.ts'
import { CHECK_FETCH_LIMITS } from './domain/publishing/check.ts'
import { RECHECK_FETCH_LIMITS } from './domain/recheck/fetch-twice.ts'
import { REFRESH_FETCH_LIMITS } from './domain/recheck/refresh.ts'
import { createPageFetcher } from './domain/review/fetcher/fetch-page.ts'
import { createGuardedFetcher, type GuardedFetcher } from './domain/review/fetcher/guarded-fetcher.ts'
import type { FetchLimits } from './domain/review/fetcher/limits.ts'
import { OwnNetwork } from './domain/review/fetcher/own-network.ts'
import type { PageReaders } from './domain/review/page-parser/page-readers.ts'
import { chosenReviewers } from './domain/review/reviewers/chosen-reviewers.ts'
import { FOLLOWED_FETCH_LIMITS } from './ops/jobs/check-followed-pages.ts'
import { PICTURE_FETCH_LIMITS } from './ops/jobs/fetch-pictures.ts'
import type { Config } from './platform/config/config.ts'
import type { Store } from './platform/db/store.ts'
import type { Links } from './platform/http/links.ts'
import { VERSION } from './platform/lib/package.ts'
import { startSandbox } from './sandbox.ts'

/**
 * Opens the reviewers, the service keys and the processor, and checks that they belong to this database.
 *
 * @throws Error in one line if they do not
 */
export async function openParts(store: Store, config: Config, { links, clock }: { links: Links; clock: () => number }) {
  const reviewers = await chosenReviewers(config, store, links).open()
  const serviceKeys = await openServiceKeys(store, config, clock())
  await refuseOtherMoney(store, config)
  if (config.stripe) return { reviewers, serviceKeys, stripe: createStripe(config.stripe) }
  if (config.payments === 'none') return { reviewers, serviceKeys }
  const sandbox = await startSandbox(config, { links, serviceKey: serviceKeys.newest.secret, clock })
  return { reviewers, serviceKeys, stripe: createStripe(sandbox.account), sandbox }
}

/** The purpose and limits of each fetcher. */
const LIMITS = {
  publish: {},
  check: CHECK_FETCH_LIMITS,
  refresh: REFRESH_FETCH_LIMITS,
  pictures: PICTURE_FETCH_LIMITS,
  followed: FOLLOWED_FETCH_LIMITS,
  webhooks: WEBHOOK_FETCH_LIMITS,
  looks: RECHECK_FETCH_LIMITS,
} satisfies Record<string, Partial<FetchLimits>>

type Fetchers = Record<keyof typeof LIMITS, GuardedFetcher>

/** Creates one guarded fetcher for each purpose, so that none waits for another. */
export function createFetchers(
  { dnsServers, connectTo }: Config,
  links: Links,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Fetchers {
  const network = new OwnNetwork(message => log.warn(message))
  const parts = { dnsServers, connectTo, links, version: VERSION, network }
  const fetchers = Object.entries(LIMITS).map(([purpose, limits]) => [
    purpose,
    createGuardedFetcher({ ...parts, limits }),
  ])
  return Object.fromEntries(fetchers) as Fetchers
}

/** Creates what reads pages and looks for proofs, each with the fetcher of its purpose. */
export function pageFetchersOf(fetchers: Fetchers, readers: PageReaders, { dnsServers }: Config) {
  const proofChecker = (fetcher: GuardedFetcher) => createSiteProofChecker({ fetcher, readers, dnsServers })
  return {
    fetchPage: createPageFetcher(fetchers.publish, readers),
    fetchPageAgain: createPageFetcher(fetchers.refresh, readers),
    fetchPageToCheck: createPageFetcher(fetchers.check, readers),
    checkSiteProof: proofChecker(fetchers.check),
    checkSiteProofAgain: proofChecker(fetchers.followed),
  }
}
