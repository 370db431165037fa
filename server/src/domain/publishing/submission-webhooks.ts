import type { SubmissionEvent } from '@placard/contract'
import { DueQueue } from '../../platform/db/due-queue.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Decision } from '../decisions/record.ts'
import type { Destination } from '../destinations/destination.ts'
import { registrableDomain } from '../destinations/hostname.ts'
import { BATCH, type EventSource } from '../notifications/owner/deliver.ts'
import { FRESH, LEASE_MS, newSecret, signingSecret } from '../notifications/owner/webhook.ts'
import type { ServiceKeys, StoreAndKeys } from '../ownership/service-keys/service-keys.ts'
import { findAttempt } from './attempts.ts'
import { eventsAfter, FROM_THE_START, nextEnd, parseCursor } from './submission-events.ts'

interface Signed {
  requestId: string
  nonce: string
  keyCheckValue: string
}

const secretOf = (keys: ServiceKeys, { requestId, nonce, keyCheckValue }: Signed): string | undefined =>
  signingSecret(keys, keyCheckValue, `placard submission webhook secret ${requestId} ${nonce}`)

/** Returns the error for a webhook of nothing that was submitted. */
export const noSubmission = () =>
  new Problem('not_found', {
    message: 'No submission has this key and secret, so it has no events. Send its publish first.',
  })

/**
 * Sends the events of a submission to an address, from the first one on. For another address, it continues, and the
 * secret stays. It turns on a webhook that was turned off.
 *
 * @returns the secret that signs
 * @throws Problem not_found if another key got the place of the submission since it was read (`renewAttempt`)
 */
export function saveSubmissionWebhook(
  { store, serviceKeys }: StoreAndKeys,
  requestId: string,
  { url, hostname }: Destination,
  now: number,
): Promise<string | undefined> {
  const moved = { url, host: registrableDomain(hostname), ...FRESH, attempts: 0, dueAt: now }
  const fresh = newSecret(serviceKeys)
  return store.transact(async trx => {
    const submitted = trx.selectFrom('attempt').select('requestId').where('requestId', '=', requestId)
    const locked = submitted.$if(trx.engine === 'postgres', query => query.forKeyShare())
    if (!(await locked.executeTakeFirst())) throw noSubmission()
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
export async function scheduleWebhooks(
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
    // A webhook is turned off by an attempt.
    .where('attempts', '=', 0)
    .where(eb =>
      eb.or([
        eb('requestId', 'in', requests),
        eb('requestId', 'in', eb.selectFrom('claim').select('requestId').where('listingId', 'in', listings) as never),
      ]),
    )
    .execute()
}

const queue = new DueQueue({ table: 'submission_webhook', key: 'requestId', dueAt: 'dueAt' })

/**
 * Events of submissions, for the webhooks of agents: one after another for each submission. A due submission may have no
 * event.
 */
export const submissionEvents: EventSource<{ requestId: string; dueAt: number | null; host: string }> = {
  count: (store, now) => queue.count(store, now),
  next: queue.firstOfEachHost(BATCH),
  async lease({ store, serviceKeys, links, clock }, due) {
    const leased = await store.transact(trx => leaseNext(trx, due, links, clock()))
    if (!leased) return undefined
    const { requestId, url, failingSince, attempts, event } = leased
    return {
      ...{ id: event.id, url, failingSince, attempts, isTest: false },
      body: bodyOf(requestId, event),
      secret: secretOf(serviceKeys, leased),
      record: (trx, state, next) =>
        queue.settle(trx, leased, {
          ...state,
          ...(next === 'settled' && { cursor: event.cursor, attempts: 0 }),
          dueAt: next === 'off' ? null : next === 'settled' ? clock() : next,
        }),
    }
  },
}

/** Leases the next event of a submission. Without one, it sets when to look again. */
async function leaseNext(trx: Trx, due: { requestId: string; dueAt: number | null }, links: Links, now: number) {
  // The lock excludes `scheduleWebhooks`: its decisions are seen here, or it makes the webhook due again.
  const held = await trx
    .selectFrom('submission_webhook')
    .innerJoin('attempt', 'attempt.requestId', 'submission_webhook.requestId')
    .selectAll('submission_webhook')
    .select('idempotencyKey')
    .where('submission_webhook.requestId', '=', due.requestId)
    .where('dueAt', '=', due.dueAt)
    .$if(trx.engine === 'postgres', query => query.forUpdate('submission_webhook'))
    .executeTakeFirst()
  const attempt = held && (await findAttempt(trx, held.idempotencyKey))
  if (!attempt) return undefined
  const { events } = await eventsAfter(trx, attempt, parseCursor(held.cursor), { limit: 1, links, now })
  const [event] = events
  const changes = event
    ? { attempts: held.attempts + 1, dueAt: now + LEASE_MS }
    : { attempts: 0, dueAt: nextEnd(attempt, now) }
  await queue.settle(trx, due, changes)
  return event && { ...held, attempts: held.attempts + 1, dueAt: now + LEASE_MS, event }
}

/** Returns the body of an event. All of it is public, except what decided about a refusal. */
function bodyOf(requestId: string, { id: _, type, at, ...data }: SubmissionEvent): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { requestId, ...data } })
}
