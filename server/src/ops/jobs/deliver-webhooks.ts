import { countDueDeliveries, deliverDueNotices } from '../../domain/notifications/owner/deliver.ts'
import { countDueSubmissions, deliverDueEvents } from '../../domain/publishing/submission-webhooks.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

type Delivery = JobDefinition<'fetchers' | 'serviceKeys' | 'links' | 'clock'>

/** Delivers notices to the webhooks of owners. */
export const deliverWebhooks: Delivery = {
  name: 'notices',
  does: 'posts to webhooks of owners',
  everyMs: SECOND_MS,
  countDue: countDueDeliveries,
  start:
    ({ fetchers, ...deps }) =>
    ({ store, signal }) =>
      deliverDueNotices({ ...deps, store, fetcher: fetchers.webhooks }, signal),
}

/** Delivers events of submissions to the webhooks of agents. */
export const deliverEvents: Delivery = {
  name: 'events',
  does: 'posts to webhooks of agents',
  everyMs: SECOND_MS,
  countDue: countDueSubmissions,
  start:
    ({ fetchers, ...deps }) =>
    ({ store, signal }) =>
      deliverDueEvents({ ...deps, store, fetcher: fetchers.webhooks }, signal),
}
