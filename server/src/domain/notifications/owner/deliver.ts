import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { DueQueue } from '../../../platform/db/due-queue.ts'
import type { Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { Links } from '../../../platform/http/links.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/lib/time.ts'
import { type SignedMessage, signedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { Listing } from '../../listings/listing.ts'
import { requireAllKeys } from '../../ownership/service-keys/recorded-keys.ts'
import type { StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import type { GuardedFetcher } from '../../review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../../review/fetcher/limits.ts'
import { type Notice, withNames } from './notice.ts'
import { deliverNoMore, LEASE_MS, parseWebhookAddress, webhookSecretOf } from './webhook.ts'

const CONCURRENT_MAX = 8
/** How many due events `EventSource.next` reads. Many, because it looks at all that are due, however few it returns. */
export const BATCH = 256
const POLL_MS = SECOND_MS
/** After the first failed attempt, the second, and so on. */
const RETRY_WAITS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
/** After all later ones. */
const LAST_RETRY_WAIT_MS = 5 * HOUR_MS
/** Shortens or lengthens each wait by up to this share, so that failed deliveries don't all retry at once. */
const JITTER = 0.2
/** A webhook that fails for this long is turned off. */
const FAILING_MAX_MS = DAY_MS

/** Limits for a fetcher of its own: slow receivers must not delay other requests. */
export const WEBHOOK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: CONCURRENT_MAX }

export interface DeliveryDependencies extends StoreAndKeys {
  links: Links
  fetcher: GuardedFetcher
  clock: () => number
}

/** Events for webhooks, and their queue. */
export interface EventSource<Due extends { host: string }> {
  count(store: Store, now: number): Promise<number>
  /** Reads the first due event of each host. */
  next(store: Store, values: { now: number }): Promise<Due[]>
  /** Leases an event for `LEASE_MS`. @returns undefined if there is none, or another process was faster */
  lease(deps: DeliveryDependencies, due: Due): Promise<LeasedEvent | undefined>
}

/** What an attempt may change of a webhook. */
type WebhookState = Pick<Database['webhook'], 'failingSince' | 'offAt' | 'offBecause' | 'lastTriedAt' | 'lastStatus'>

/** An event that this process delivers, as it was when leased. */
interface LeasedEvent extends Pick<WebhookState, 'failingSince'> {
  /** Stays the same for each attempt. */
  id: string
  body: string
  /** The address of the webhook. */
  url: string
  /** Undefined if its service key is lost. */
  secret: string | undefined
  /** Attempts to deliver the event, with this one. */
  attempts: number
  /** A test is sent once, and its failure does not count. */
  isTest: boolean
  /**
   * Records how the attempt ended, unless the lease does not hold any more.
   *
   * @param next when the event is retried; `settled` if never; `off` if the webhook is turned off, with all its events
   */
  record(trx: Trx, state: Partial<WebhookState>, next: number | 'settled' | 'off'): Promise<unknown>
}

/**
 * Makes all due deliveries: several at once, but only one per host, so that a slow host delays no other. Returns when
 * none is left or in progress.
 *
 * @throws the first error of the database or of the code; the delivery it concerns is retried when its lease ends
 */
export async function deliverDueEvents<Due extends { host: string }>(
  source: EventSource<Due>,
  deps: DeliveryDependencies,
  stop: AbortSignal,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>()
  const errors: unknown[] = []
  const begin = (due: Due) => {
    const delivery = source
      .lease(deps, due)
      .then(event => event && deliver(deps, event, stop))
      .catch(error => void errors.push(error))
      .finally(() => inProgress.delete(due.host))
    inProgress.set(due.host, delivery)
  }
  let waiting: Due[] = []
  let readAt = 0
  try {
    do {
      const isOld = waiting.length === 0 || performance.now() - readAt >= POLL_MS
      if (isOld && inProgress.size < CONCURRENT_MAX) {
        waiting = await source.next(deps.store, { now: deps.clock() })
        readAt = performance.now()
      }
      while (!stop.aborted && inProgress.size < CONCURRENT_MAX) {
        const due = waiting.shift()
        if (!due) break
        if (!inProgress.has(due.host)) begin(due)
      }
      if (inProgress.size === 0) break
      // While a slow host replies, deliveries to other hosts can become due.
      await Promise.race([...inProgress.values(), sleep(POLL_MS, undefined, { ref: false })])
    } while (errors.length === 0 && !stop.aborted)
  } finally {
    await Promise.all(inProgress.values())
  }
  if (errors.length > 0) throw errors[0]
}

/**
 * Delivers an event. A failed delivery is retried after a longer wait each time. A webhook that replies 410 Gone, fails
 * for a day, or lost its service key is turned off.
 */
async function deliver(deps: DeliveryDependencies, event: LeasedEvent, stop: AbortSignal): Promise<void> {
  const { store, links, fetcher, clock } = deps
  const { id, body, secret } = event
  const record = (state: Partial<WebhookState>, next: number | 'settled' | 'off') =>
    store.transact(async trx => void (await event.record(trx, state, next)))
  if (secret === undefined) {
    await requireAllKeys(store.db, deps.serviceKeys)
    return record({ offAt: clock(), offBecause: 'key_lost' }, 'off')
  }
  const address = parseWebhookAddress(event.url, links.hostname, Number.POSITIVE_INFINITY)
  const status = address && (await postTo(fetcher, address, signedMessage(id, body, secret, clock()), stop))
  if (status === 'not_sent') return
  const now = clock()
  const tried = { lastTriedAt: now, lastStatus: status ?? null }
  if (status === 410) return record({ ...tried, offAt: now, offBecause: 'gone' }, 'off')
  if (status !== undefined && status >= 200 && status < 300) return record({ ...tried, failingSince: null }, 'settled')
  if (event.isTest) return record(tried, 'settled')
  const failingSince = event.failingSince ?? now
  const next = retryAt(event.attempts, failingSince, now)
  if (next === undefined) return record({ ...tried, offAt: now, offBecause: 'failing' }, 'off')
  return record({ ...tried, failingSince }, next)
}

/**
 * Posts a message.
 *
 * @returns the status; undefined if there was no reply; `not_sent` if it ended before it could post, so that the
 * delivery is retried when its lease ends
 */
async function postTo(
  fetcher: GuardedFetcher,
  address: Destination,
  message: SignedMessage,
  stop: AbortSignal,
): Promise<number | undefined | 'not_sent'> {
  const visit = await fetcher.visit(address, async (_get, post) => ({ status: await post(address, message) }), { stop })
  if (stop.aborted || visit instanceof FetchEnded) return 'not_sent'
  return visit.status instanceof FetchEnded ? undefined : visit.status
}

/**
 * Returns when to retry a failed delivery; undefined if its webhook has failed for too long. After a time in which
 * nothing was delivered, as while the service was down, it has some more attempts.
 */
function retryAt(attempts: number, failingSince: number, now: number): number | undefined {
  const turnOffAt = failingSince + FAILING_MAX_MS
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  if (now >= turnOffAt && waitMs === undefined) return undefined
  const next = now + Math.round((waitMs ?? LAST_RETRY_WAIT_MS) * (1 - JITTER + 2 * JITTER * Math.random()))
  return now < turnOffAt ? Math.min(next, turnOffAt) : next
}

/** For a hidden listing, only the `taken_down` notice is delivered. */
const queue = new DueQueue({
  table: 'notice',
  key: 'id',
  dueAt: 'tryAt',
  joins: sql`
    join webhook on webhook."listingId" = notice."listingId"
    join listing on listing.id = notice."listingId"`,
  isReady: () => sql`webhook."offAt" is null and (listing."hiddenAt" is null or notice.kind = 'taken_down')`,
})

/** Notices, as events for the webhooks of owners. */
export const noticeEvents: EventSource<{ id: string; tryAt: number | null; host: string }> = {
  count: (store, now) => queue.count(store, now),
  next: queue.firstOfEachHost(BATCH),
  async lease({ store, serviceKeys, links, clock }, due) {
    const tryAt = clock() + LEASE_MS
    const held = await store.transact(async trx => {
      const row = await trx
        .selectFrom('notice')
        .innerJoin('webhook', 'webhook.listingId', 'notice.listingId')
        .innerJoin('listing', 'listing.id', 'notice.listingId')
        .selectAll('notice')
        .select(['webhook.url as webhookUrl', 'nonce', 'keyCheckValue', 'failingSince', 'slug', 'title', 'listing.url'])
        .where('notice.id', '=', due.id)
        .executeTakeFirst()
      return row && (await queue.settle(trx, due, { attempts: row.attempts + 1, tryAt })) ? row : undefined
    })
    const [notice] = held ? await withNames(store, [held]) : []
    if (!held || !notice) return undefined
    const { id, listingId, webhookUrl: url, failingSince, attempts } = held
    return {
      ...{ id, url, failingSince, attempts: attempts + 1, isTest: notice.kind === 'test' },
      body: eventOf(notice, held, links),
      secret: webhookSecretOf(serviceKeys, held),
      async record(trx, state, next) {
        const { numUpdatedRows } = await trx
          .updateTable('webhook')
          .set(state)
          .where('listingId', '=', listingId)
          .where('url', '=', url)
          .where('nonce', '=', held.nonce)
          .where('failingSince', 'is not distinct from', failingSince)
          .executeTakeFirst()
        // The owner has saved the webhook meanwhile: when the lease ends, the notice is delivered again.
        if (numUpdatedRows === 0n) return
        if (next === 'off') await deliverNoMore(trx, listingId)
        else await queue.settle(trx, { id, tryAt }, { tryAt: next === 'settled' ? null : next })
      },
    }
  },
}

type EventListing = Pick<Listing, 'slug' | 'title' | 'url'>

/** Returns the body of the event for a notice. All of it is public. `/api#webhooks` on the site describes each type. */
function eventOf(notice: Notice, listing: EventListing, links: Links): string {
  const { kind, at } = notice
  const { title, url, slug } = listing
  return JSON.stringify({
    type: kind === 'test' ? kind : `listing.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { listing: { title, website: url, productUrl: links.product(slug) }, ...dataOf(notice, links) },
  })
}

function dataOf(notice: Notice, links: Links): Record<string, unknown> {
  if (notice.kind === 'ends_soon') return { expiresAt: notice.facts.endsAt }
  if (notice.kind !== 'overtaken') return notice.facts
  const { board, from, to } = notice.facts
  const { by } = notice
  return { board, from, to, by: by ? { title: by.title, productUrl: links.product(by.slug) } : null }
}
