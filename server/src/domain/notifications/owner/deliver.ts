import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { DueQueue } from '../../../platform/db/due-queue.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Store } from '../../../platform/db/store.ts'
import type { NoticeTable, WebhookTable } from '../../../platform/db/tables/notifications.ts'
import type { Links } from '../../../platform/http/links.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/lib/time.ts'
import { type SignedMessage, signedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { Listing } from '../../listings/listing.ts'
import type { KeptKeys } from '../../ownership/service-keys/service-keys.ts'
import type { GuardedFetcher } from '../../review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../../review/fetcher/limits.ts'
import { type Notice, withNames } from './notice.ts'
import { parseWebhookAddress, turnOff, webhookSecretOf } from './webhook.ts'

const CONCURRENT_MAX = 8
export const BATCH = 16
const POLL_MS = SECOND_MS
/** Longer than any delivery takes. */
export const LEASE_MS = MINUTE_MS
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

/** A notice that is due, with its listing and webhook. */
interface Delivery
  extends Pick<NoticeTable, 'id' | 'listingId' | 'kind' | 'facts' | 'at'>,
    Pick<WebhookTable, 'host' | 'nonce' | 'keyCheckValue'> {
  attempts: number
  tryAt: number
  webhookUrl: string
  slug: string
  title: string
  url: string
}

export interface DeliveryDependencies extends KeptKeys {
  links: Links
  fetcher: GuardedFetcher
  clock: () => number
}

/** For a hidden listing, only the `taken_down` notice is delivered. */
const deliveries = new DueQueue({
  table: 'notice',
  key: 'id',
  dueAt: 'tryAt',
  joins: sql`
    join webhook on webhook."listingId" = notice."listingId"
    join listing on listing.id = notice."listingId"`,
  isReady: () => sql`webhook."offAt" is null and (listing."hiddenAt" is null or notice.kind = 'taken_down')`,
})

export const countDueDeliveries = (store: Store, now: number): Promise<number> => deliveries.count(store, now)

/** The first due delivery of each host, so that one host with many can't fill the batch. */
const nextDeliveries = statement(
  { now: 'bigint' },
  ({ now }) => sql<Delivery>`
    select * from (
      select notice.id, notice."listingId", notice.kind, notice.facts, notice.at, notice.attempts, notice."tryAt",
        webhook.url as "webhookUrl", webhook.host, webhook.nonce, webhook."keyCheckValue",
        listing.slug, listing.title, listing.url,
        row_number() over (partition by webhook.host order by notice."tryAt", notice.id) as nth
      ${deliveries.from(now)}
    ) as due
    where nth = 1 order by "tryAt" limit ${sql.lit(BATCH)}`,
)

/** Delivers all due notices to their webhooks. @throws as `deliverByHost` */
export const deliverDueNotices = (deps: DeliveryDependencies, stop: AbortSignal): Promise<void> =>
  deliverByHost(
    () => nextDeliveries(deps.store, { now: deps.clock() }),
    due => deliver(deps, due, stop),
    stop,
  )

/**
 * Makes all due deliveries: several at once, but only one per host, so that a slow host delays no other. Returns when
 * none is left or in progress.
 *
 * @param next the first due delivery of each host
 * @throws the first error of the database or of the code; the delivery it concerns is retried when its lease ends
 */
export async function deliverByHost<Due extends { host: string }>(
  next: () => Promise<Due[]>,
  deliver: (due: Due) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>()
  const errors: unknown[] = []
  const begin = (due: Due) => {
    const delivery = deliver(due)
      .catch(error => void errors.push(error))
      .finally(() => inProgress.delete(due.host))
    inProgress.set(due.host, delivery)
  }
  try {
    do {
      for (const due of await next()) {
        if (stop.aborted || inProgress.size === CONCURRENT_MAX) break
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

async function deliver(deps: DeliveryDependencies, due: Delivery, stop: AbortSignal): Promise<void> {
  const { store, serviceKeys, links, fetcher, clock } = deps
  const leased = await deliveries.lease(store, due, { attempts: due.attempts + 1, tryAt: clock() + LEASE_MS })
  if (!leased) return
  const secret = webhookSecretOf(serviceKeys, leased)
  if (secret === undefined) {
    return store.transact(trx => turnOff(trx, leased.listingId, 'key_lost', clock()))
  }
  const address = parseWebhookAddress(leased.webhookUrl, links.hostname)
  const [notice] = await withNames(store, [leased])
  if (!address || !notice) return recordAttempt(store, leased, undefined, clock())
  const message = signedMessage(leased.id, eventOf(notice, leased, links), secret, clock())
  const status = await postTo(fetcher, address, message, stop)
  if (status !== 'not_sent') await recordAttempt(store, leased, status, clock())
}

/**
 * Posts a message.
 *
 * @returns the status; undefined if there was no reply; `not_sent` if it ended before it could post, so that the
 * delivery is retried when its lease ends
 */
export async function postTo(
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
 * Records the result of a delivery. A failed one is retried after a longer wait each time; a test is sent only once. A
 * webhook that replies 410 Gone or fails for a day is turned off.
 *
 * @param status undefined if there was no reply
 */
function recordAttempt(store: Store, leased: Delivery, status: number | undefined, now: number): Promise<void> {
  const { listingId, kind } = leased
  const isDelivered = isAccepted(status)
  return store.transact(async trx => {
    const webhook = await trx
      .updateTable('webhook')
      .set({ lastTriedAt: now, lastStatus: status ?? null, ...(isDelivered && { failingSince: null }) })
      .where('listingId', '=', listingId)
      .where('url', '=', leased.webhookUrl)
      .returning('failingSince')
      .executeTakeFirst()
    // The owner has changed the URL: when the lease ends, the notice is delivered to the new one.
    if (!webhook) return
    if (status === 410) return turnOff(trx, listingId, 'gone', now)
    if (isDelivered || kind === 'test') {
      await deliveries.settle(trx, leased, { tryAt: null })
      return
    }
    const failingSince = webhook.failingSince ?? now
    const tryAt = retryAt(leased.attempts, failingSince, now)
    if (tryAt === undefined) return turnOff(trx, listingId, 'failing', now)
    await trx.updateTable('webhook').set({ failingSince }).where('listingId', '=', listingId).execute()
    await deliveries.settle(trx, leased, { tryAt })
  })
}

/** Whether a receiver has accepted a delivery. @param status undefined if there was no reply */
export const isAccepted = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

/** Returns when to retry a failed delivery; undefined if its webhook has failed for too long. */
export function retryAt(attempts: number, failingSince: number, now: number): number | undefined {
  const turnOffAt = failingSince + FAILING_MAX_MS
  if (now >= turnOffAt) return undefined
  const waitMs = RETRY_WAITS_MS[attempts - 1] ?? LAST_RETRY_WAIT_MS
  return Math.min(now + Math.round(waitMs * (1 - JITTER + 2 * JITTER * Math.random())), turnOffAt)
}

type EventListing = Pick<Listing, 'slug' | 'title' | 'url'>

/** The types of events by kind of notice. `/api#webhooks` on the site describes their shapes. */
const TYPES: Record<Notice['kind'], string> = {
  overtaken: 'listing.overtaken',
  ends_soon: 'listing.ends_soon',
  page_gone: 'listing.page_gone',
  taken_down: 'listing.taken_down',
  claim_waits: 'listing.claim_waits',
  proof_missing: 'listing.proof_missing',
  drawn: 'listing.drawn',
  test: 'test',
}

/** Returns the body of the event for a notice. All of it is public. */
function eventOf(notice: Notice, listing: EventListing, links: Links): string {
  const { kind, at } = notice
  const { title, url, slug } = listing
  return JSON.stringify({
    type: TYPES[kind],
    timestamp: new Date(at).toISOString(),
    data: { listing: { title, website: url, productUrl: links.product(slug) }, ...dataOf(notice, links) },
  })
}

function dataOf(notice: Notice, links: Links): Record<string, unknown> {
  switch (notice.kind) {
    case 'overtaken': {
      const { board, from, to } = notice.facts
      const { by } = notice
      return { board, from, to, by: by ? { title: by.title, productUrl: links.product(by.slug) } : null }
    }
    case 'ends_soon':
      return { expiresAt: notice.facts.endsAt }
    case 'page_gone':
    case 'taken_down':
    case 'claim_waits':
    case 'proof_missing':
    case 'drawn':
      return notice.facts
    case 'test':
      return {}
  }
}
