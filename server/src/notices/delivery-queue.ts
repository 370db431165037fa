import { sql } from 'kysely'
import type { NoticeTable, WebhookTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import { turnOff } from './webhook.ts'

/** A notice to deliver, with its webhook and its listing. */
export interface DueDelivery
  extends Pick<NoticeTable, 'id' | 'listingId' | 'kind' | 'facts' | 'at'>,
    Pick<WebhookTable, 'host' | 'nonce' | 'keyCheckValue'> {
  attempts: number
  tryAt: number
  webhookUrl: string
  slug: string
  title: string
  url: string
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** Waits after the first failed attempt, the second, and so on; the last for all that follow. */
const WAITS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS] as const
/** Each wait is up to this much shorter or longer, so that failed deliveries do not come back together. */
const JITTER = 0.2
/** A webhook that fails for so long is turned off. */
const FAILING_MAX_MS = daysMs(1)
/** Longer than any delivery takes. If the process dies meanwhile, another one tries then. */
const LEASE_MS = MINUTE_MS
const BATCH = 16

/** The first due delivery of each host, so that none can fill the list. Nothing is posted for a listing that is hidden, but
 * that it is. */
export const dueDeliveries = statement(
  { now: 'bigint' },
  ({ now }) => sql<DueDelivery>`
    select id, "listingId", kind, facts, at, attempts, "tryAt", "webhookUrl", host, nonce, "keyCheckValue", slug, title, url
    from (
      select notice.id, notice."listingId", notice.kind, notice.facts, notice.at, notice.attempts, notice."tryAt",
        webhook.url as "webhookUrl", webhook.host, webhook.nonce, webhook."keyCheckValue",
        listing.slug, listing.title, listing.url,
        row_number() over (partition by webhook.host order by notice."tryAt", notice.id) as nth
      from notice
        join webhook on webhook."listingId" = notice."listingId"
        join listing on listing.id = notice."listingId"
      where notice."tryAt" is not null and notice."tryAt" <= ${now} and webhook."offAt" is null
        and (listing."hiddenAt" is null or notice.kind = 'taken_down')
    ) as due
    where nth = 1 order by "tryAt" limit ${sql.lit(BATCH)}`,
)

/** How many wait. */
export async function deliveriesDue(store: Store, now: number): Promise<number> {
  const [counted] = await countDue(store, { now })
  return Number(counted?.all ?? 0)
}

const countDue = statement(
  { now: 'bigint' },
  ({ now }) => sql<{ all: number | string }>`
    select count(*) as "all" from notice
      join webhook on webhook."listingId" = notice."listingId"
      join listing on listing.id = notice."listingId"
    where notice."tryAt" is not null and notice."tryAt" <= ${now} and webhook."offAt" is null
      and listing."hiddenAt" is null`,
)

/**
 * Schedules the next attempt before making this one, so that it happens even if the process dies.
 *
 * @returns undefined if another process was faster
 */
export async function leaseDelivery(
  store: Store,
  due: DueDelivery,
  now: number,
): Promise<DueDelivery | undefined> {
  const leased = { attempts: due.attempts + 1, tryAt: now + LEASE_MS }
  const { numUpdatedRows } = await store.transact(trx =>
    trx
      .updateTable('notice')
      .set(leased)
      .where('id', '=', due.id)
      .where('tryAt', '=', due.tryAt)
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n ? { ...due, ...leased } : undefined
}

/**
 * Records how an attempt ended. A success ends it; a failure is tried again later, each time after a longer wait. 410
 * turns the webhook off, and so does a day of failures. A test is not tried again.
 *
 * @param status of the answer; undefined if there was none
 */
export function settleDelivery(
  store: Store,
  leased: DueDelivery,
  status: number | undefined,
  now: number,
): Promise<void> {
  const { listingId, kind } = leased
  const isDelivered = status !== undefined && status >= 200 && status < 300
  return store.transact(async trx => {
    const webhook = await trx
      .updateTable('webhook')
      .set({ lastTriedAt: now, lastStatus: status ?? null, ...(isDelivered && { failingSince: null }) })
      .where('listingId', '=', listingId)
      .where('url', '=', leased.webhookUrl)
      .returning('failingSince')
      .executeTakeFirst()
    // Its owner has another one now: the lease runs out, and then that one gets it.
    if (!webhook) return
    if (status === 410) return turnOff(trx, listingId, 'gone', now)
    if (isDelivered || kind === 'test') return tryAgainAt(trx, leased, null)
    const failingSince = webhook.failingSince ?? now
    if (now - failingSince >= FAILING_MAX_MS) return turnOff(trx, listingId, 'failing', now)
    await trx.updateTable('webhook').set({ failingSince }).where('listingId', '=', listingId).execute()
    return tryAgainAt(trx, leased, Math.min(now + waitAfter(leased.attempts), failingSince + FAILING_MAX_MS))
  })
}

async function tryAgainAt(trx: Trx, { id, tryAt }: DueDelivery, next: number | null): Promise<void> {
  await trx
    .updateTable('notice')
    .set({ tryAt: next })
    .where('id', '=', id)
    .where('tryAt', '=', tryAt)
    .execute()
}

function waitAfter(attempts: number): number {
  const waitMs = WAITS_MS[attempts - 1] ?? WAITS_MS[5]
  return Math.round(waitMs * (1 - JITTER + 2 * JITTER * Math.random()))
}
