import { sql } from 'kysely'
import { DueQueue } from '../../../platform/db/due-queue.ts'
import type { Links } from '../../../platform/http/links.ts'
import type { Listing } from '../../listings/listing.ts'
import { BATCH, type EventSource } from './deliver.ts'
import { type Notice, withNames } from './notice.ts'
import { deliverNoMore, LEASE_MS, webhookSecretOf } from './webhook.ts'

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
