import type { SubmissionEvent } from '@placard/contract'
import { sql } from 'kysely'
import { DueQueue } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { signedMessage } from '../../platform/lib/webhook-signature.ts'
import type { Decision } from '../decisions/record.ts'
import type { Destination } from '../destinations/destination.ts'
import { registrableDomain } from '../destinations/hostname.ts'
import {
  BATCH,
  type DeliveryDependencies,
  deliverByHost,
  isAccepted,
  LEASE_MS,
  postTo,
  retryAt,
} from '../notifications/owner/deliver.ts'
import { FRESH, newSecret, parseWebhookAddress, signingSecret } from '../notifications/owner/webhook.ts'
import type { KeptKeys, ServiceKeys } from '../ownership/service-keys/service-keys.ts'
import { findAttempt } from './attempts.ts'
import { eventsAfter, FROM_THE_START, nextEnd, parseCursor } from './submission-events.ts'

interface Signed {
  requestId: string
  nonce: string
  keyCheckValue: string
}

const secretOf = (keys: ServiceKeys, { requestId, nonce, keyCheckValue }: Signed): string | undefined =>
  signingSecret(keys, keyCheckValue, `placard submission webhook secret ${requestId} ${nonce}`)

/**
 * Sends the events of a submission to an address, from the first one on. For another address, it continues, and the
 * secret stays. It turns on a webhook that was turned off.
 *
 * @returns the secret that signs
 */
export function saveSubmissionWebhook(
  { store, serviceKeys }: KeptKeys,
  requestId: string,
  { url, hostname }: Destination,
  now: number,
): Promise<string | undefined> {
  const moved = { url, host: registrableDomain(hostname), ...FRESH, attempts: 0, dueAt: now }
  const fresh = newSecret(serviceKeys)
  return store.transact(async trx => {
    const saved = await trx
      .insertInto('submission_webhook')
      .values({ requestId, cursor: FROM_THE_START, ...moved, ...fresh })
      .onConflict(conflict => conflict.column('requestId').doUpdateSet(moved))
      .returning(['requestId', 'nonce', 'keyCheckValue'])
      .executeTakeFirstOrThrow()
    const secret = secretOf(serviceKeys, saved)
    if (secret !== undefined) return secret
    await trx.updateTable('submission_webhook').set(fresh).where('requestId', '=', requestId).execute()
    return secretOf(serviceKeys, { requestId, ...fresh })
  })
}

export const removeSubmissionWebhook = (store: Store, requestId: string) =>
  store.transact(trx => trx.deleteFrom('submission_webhook').where('requestId', '=', requestId).execute())

/**
 * Makes the webhooks due that decisions may concern. Call it in the transaction that logs the decisions, from which
 * on they are events. Deliveries that are under way, or wait for a retry, look again afterwards.
 */
export async function lookAfter(
  trx: Trx,
  decisions: readonly Pick<Decision, 'requestId' | 'listingId'>[],
  now: number,
): Promise<void> {
  // Neither list may be empty in SQL.
  const requests = ['', ...decisions.flatMap(({ requestId }) => requestId ?? [])]
  const listings = [0, ...decisions.flatMap(({ listingId }) => listingId ?? [])]
  await trx
    .updateTable('submission_webhook')
    .set({ dueAt: now })
    .where('attempts', '=', 0)
    .where('offAt', 'is', null)
    .where(eb =>
      eb.or([
        eb('requestId', 'in', requests),
        eb('requestId', 'in', eb.selectFrom('claim').select('requestId').where('listingId', 'in', listings) as never),
      ]),
    )
    .execute()
}

interface Due {
  requestId: string
  idempotencyKey: string
  host: string
  dueAt: number
}

const queue = new DueQueue({
  table: 'submission_webhook',
  key: 'requestId',
  dueAt: 'dueAt',
  joins: sql`join attempt on attempt."requestId" = submission_webhook."requestId"`,
})

/** Counts the webhooks whose submission may have an event to deliver. */
export const countDueSubmissions = (store: Store, now: number): Promise<number> => queue.count(store, now)

const nextDue = statement(
  { now: 'bigint' },
  ({ now }) => sql<Due>`
    select "requestId", "idempotencyKey", host, "dueAt" from (
      select attempt."requestId", attempt."idempotencyKey", host, "dueAt",
        row_number() over (partition by host order by "dueAt", attempt."requestId") as nth
      ${queue.from(now)}
    ) as due
    where nth = 1 order by "dueAt" limit ${sql.lit(BATCH)}`,
)

/** Delivers the events of submissions to their webhooks, one after another for each. @throws as `deliverByHost` */
export const deliverDueEvents = (deps: DeliveryDependencies, stop: AbortSignal): Promise<void> =>
  deliverByHost(
    () => nextDue(deps.store, { now: deps.clock() }),
    due => deliver(deps, due, stop),
    stop,
  )

async function deliver(deps: DeliveryDependencies, due: Due, stop: AbortSignal): Promise<void> {
  const { store, serviceKeys, links, fetcher, clock } = deps
  const leased = await store.transact(trx => leaseNext(trx, due, links, clock()))
  if (!leased) return
  const off = (offBecause: 'gone' | 'failing' | 'key_lost') => ({ offAt: clock(), offBecause, dueAt: null })
  const settle = (changes: object) => store.transact(trx => queue.settle(trx, leased, changes)).then(() => {})
  const secret = secretOf(serviceKeys, leased)
  if (secret === undefined) return settle(off('key_lost'))
  const address = parseWebhookAddress(leased.url, links.hostname)
  const message = signedMessage(leased.event.id, bodyOf(leased.requestId, leased.event), secret, clock())
  const status = address && (await postTo(fetcher, address, message, stop))
  if (status === 'not_sent') return
  const now = clock()
  const tried = { lastTriedAt: now, lastStatus: status ?? null }
  if (isAccepted(status)) {
    return settle({ ...tried, cursor: leased.event.cursor, attempts: 0, dueAt: now, failingSince: null })
  }
  const failingSince = leased.failingSince ?? now
  const dueAt = status === 410 ? undefined : retryAt(leased.attempts, failingSince, now)
  return settle(
    dueAt === undefined ? { ...tried, ...off(status === 410 ? 'gone' : 'failing') } : { ...tried, failingSince, dueAt },
  )
}

/** Leases the next event of a submission. Without one, it sets when to look again. */
async function leaseNext(trx: Trx, { requestId, idempotencyKey, dueAt }: Due, links: Links, now: number) {
  // The lock excludes `lookAfter`: its decisions are seen here, or it makes the webhook due again.
  const held = await trx
    .selectFrom('submission_webhook')
    .selectAll()
    .where('requestId', '=', requestId)
    .where('dueAt', '=', dueAt)
    .$if(trx.engine === 'postgres', query => query.forUpdate())
    .executeTakeFirst()
  const attempt = held && (await findAttempt(trx, idempotencyKey))
  if (!attempt) return undefined
  const { events } = await eventsAfter(trx, attempt, parseCursor(held.cursor), { limit: 1, links, now })
  const [event] = events
  const changes = event
    ? { attempts: held.attempts + 1, dueAt: now + LEASE_MS }
    : { attempts: 0, dueAt: nextEnd(attempt, now) }
  await queue.settle(trx, { requestId, dueAt }, changes)
  return event && { ...held, attempts: held.attempts + 1, dueAt: now + LEASE_MS, event }
}

/** Returns the body of an event. All of it is public, except what decided about a refusal. */
function bodyOf(requestId: string, { id: _, type, at, ...data }: SubmissionEvent): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { requestId, ...data } })
}
