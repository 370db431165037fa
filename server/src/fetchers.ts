import { WEBHOOK_FETCH_LIMITS } from './domain/notifications/owner/deliver.ts'
import { CHECK_FETCH_LIMITS } from './domain/publishing/check.ts'
import { RECHECK_FETCH_LIMITS } from './domain/recheck/fetch-twice.ts'
import { REFRESH_FETCH_LIMITS } from './domain/recheck/refresh.ts'
import { createGuardedFetcher, type GuardedFetcher } from './domain/review/fetcher/guarded-fetcher.ts'
import type { FetchLimits } from './domain/review/fetcher/limits.ts'
import { FOLLOWED_FETCH_LIMITS } from './ops/jobs/check-followed-pages.ts'
import { PICTURE_FETCH_LIMITS } from './ops/jobs/fetch-pictures.ts'
import type { Config } from './platform/config/config.ts'
import type { Links } from './platform/http/links.ts'
import { VERSION } from './platform/lib/package.ts'

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
export function createFetchers({ dnsServers, connectTo }: Config, links: Links): Fetchers {
  const parts = { dnsServers, connectTo, links, version: VERSION }
  const fetchers = Object.entries(LIMITS).map(([purpose, limits]) => [
    purpose,
    createGuardedFetcher({ ...parts, limits }),
  ])
  return Object.fromEntries(fetchers) as Fetchers
}
