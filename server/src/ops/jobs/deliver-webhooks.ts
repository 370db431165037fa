import { countDueDeliveries, deliverDueNotices } from '../../domain/notifications/owner/deliver.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import { countDueSubmissions, deliverDueEvents } from '../../domain/publishing/submission-webhooks.ts'
import type { GuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import type { Links } from '../../platform/http/links.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './runner.ts'

interface DeliveryDependencies {
  fetchers: { webhooks: GuardedFetcher }
  serviceKeys: ServiceKeys
  links: Links
  clock: () => number
}

/** Delivers notices to the webhooks of owners. */
export const deliverWebhooks: JobDefinition<DeliveryDependencies> = {
  name: 'notices',
  does: 'posts to webhooks of owners',
  everyMs: SECOND_MS,
  countDue: countDueDeliveries,
  start: ({ fetchers, ...deps }) => {
    return ({ store, signal }) => deliverDueNotices({ ...deps, store, fetcher: fetchers.webhooks }, signal)
  },
}

/** Delivers events of submissions to the webhooks of agents. */
export const deliverEvents: JobDefinition<DeliveryDependencies> = {
  name: 'events',
  does: 'posts to webhooks of agents',
  everyMs: SECOND_MS,
  countDue: countDueSubmissions,
  start: ({ fetchers, ...deps }) => {
    return ({ store, signal }) => deliverDueEvents({ ...deps, store, fetcher: fetchers.webhooks }, signal)
  },
}
