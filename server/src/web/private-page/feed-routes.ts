import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PAGE_HEADERS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { statusOf } from '../../listings/listing.ts'
import { comparePlaces } from '../../notices/compare-places.ts'
import { readNotices } from '../../notices/notice.ts'
import { tellEnd } from '../../notices/tell-ends.ts'
import { openFeed } from '../../notices/watch.ts'
import type { Store } from '../../storage/store.ts'
import { FEED_LENGTH } from '../directory/feed.ts'
import { renderNoticeFeed } from './notice-feed.ts'

interface FeedDependencies {
  links: Links
  store: Store
  clock: () => number
}

/** It must leave no trace in caches and indexes. */
const FEED_HEADERS = {
  ...PAGE_HEADERS,
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
}

/**
 * The private feed of a listing. Its address is all it needs, so every wrong one gets the same 404. It is fresh: what
 * the service looks at now and then, it looks at for each reader.
 */
export async function noticeFeed(
  app: FastifyInstance,
  { links, store, clock }: FeedDependencies,
): Promise<void> {
  app.get(
    '/feed/:token([A-Za-z0-9_-]+).atom',
    async (request: FastifyRequest<{ Params: { token: string } }>, reply) => {
      reply.headers(FEED_HEADERS)
      const listing = await openFeed(store.db, request.params.token)
      if (!listing) throw new Problem('not_found')
      const now = clock()
      if (statusOf(listing, now) === 'published') {
        await comparePlaces(store, { ...listing, listingId: listing.id }, now)
        await tellEnd(store, listing, now)
      }
      const notices = await readNotices(store, listing.id, FEED_LENGTH)
      return reply
        .type('application/atom+xml; charset=utf-8')
        .send(renderNoticeFeed({ listing, notices, now, links }))
    },
  )
}
