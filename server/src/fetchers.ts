import {
  createGuardedFetcher,
  type GuardedFetcher,
  type GuardedFetcherOptions,
} from './fetcher/guarded-fetcher.ts'
import { FOLLOWED_FETCH_LIMITS } from './notices/check-pages.ts'
import { WEBHOOK_FETCH_LIMITS } from './notices/deliver.ts'
import { REFRESH_FETCH_LIMITS } from './ownership/refresh.ts'
import { PICTURE_FETCH_LIMITS } from './pictures/worker.ts'
import { CHECK_FETCH_LIMITS } from './publishing/check.ts'

const LIMITS = {
  publish: {},
  check: CHECK_FETCH_LIMITS,
  refresh: REFRESH_FETCH_LIMITS,
  pictures: PICTURE_FETCH_LIMITS,
  followed: FOLLOWED_FETCH_LIMITS,
  webhooks: WEBHOOK_FETCH_LIMITS,
}

/** A guarded fetcher for each purpose, so that none waits for another. */
export const createFetchers = (options: GuardedFetcherOptions) =>
  Object.fromEntries(
    Object.entries(LIMITS).map(([purpose, limits]) => [
      purpose,
      createGuardedFetcher({ ...options, limits }),
    ]),
  ) as Record<keyof typeof LIMITS, GuardedFetcher>
