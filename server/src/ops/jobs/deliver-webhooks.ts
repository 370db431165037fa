import { deliverDueEvents, type EventSource } from '../../domain/notifications/owner/deliver.ts'
import { noticeEvents } from '../../domain/notifications/owner/deliver-notices.ts'
import { submissionEvents } from '../../domain/publishing/submission-webhooks.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

const deliver = <Due extends { host: string }>(
  source: EventSource<Due>,
  names: Pick<JobDefinition, 'name' | 'does'>,
): JobDefinition<'fetchers' | 'serviceKeys' | 'links' | 'clock'> => ({
  ...names,
  everyMs: SECOND_MS,
  countDue: source.count,
  start:
    ({ fetchers, ...deps }) =>
    ({ store, signal }) =>
      deliverDueEvents(source, { ...deps, store, fetcher: fetchers.webhooks }, signal),
})

export const deliverWebhooks = deliver(noticeEvents, { name: 'notices', does: 'posts to webhooks of owners' })
export const deliverEvents = deliver(submissionEvents, { name: 'events', does: 'posts to webhooks of agents' })
