import { REVIEW_REASONS } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Listing, statusOf } from '../../domain/listings/listing.ts'
import { openFeed } from '../../domain/notifications/owner/feed.ts'
import { type FeedNotice, notifyOfEnd, readNotices } from '../../domain/notifications/owner/notice.ts'
import { BOARD_PERIOD, rankText, wordsOf } from '../../domain/notifications/owner/notice-words.ts'
import { comparePlaces } from '../../domain/notifications/owner/overtaken.ts'
import { SECRET_HEADERS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { dayText } from '../../platform/lib/text.ts'
import { ATOM, FEED_LENGTH, type FeedEntry, renderAtom } from '../ui/atom.ts'
import type { Needs } from '../ui/page-parts.ts'

interface NoticeFeedProps {
  listing: Listing
  /** The latest first. */
  notices: readonly FeedNotice[]
  now: number
  links: Links
}

function renderNoticeFeed({ listing, notices, now, links }: NoticeFeedProps): string {
  const page = links.product(listing.slug)
  const isTold = notices.some(({ kind, at }) => kind === 'taken_down' && at === listing.hiddenAt)
  const state = isTold ? [] : stateOf(listing, now, links)
  const entries = [...state, ...notices.map(notice => entryOf(notice, listing, links))]
  return renderAtom({ id: `${page}#hear`, page, title: listing.title, since: listing.publishedAt, entries }, links)
}

/** Why a listing is not up, according to the listing itself. */
function stateOf(listing: Listing, now: number, links: Links): FeedEntry[] {
  const href = links.support
  const status = statusOf(listing, now)
  if (status === 'published') return []
  if (status === 'expired') {
    const at = listing.expiresAt ?? now
    const summary = `It ended on ${dayText(at)}. Your private page says why, and what you can do.`
    return [
      {
        id: `${links.product(listing.slug)}#expired-${at}`,
        at,
        title: 'Your listing has ended',
        summary,
        href,
      },
    ]
  }
  const at = listing.hiddenAt ?? now
  const [title, summary] =
    listing.hiddenBy === 'owner'
      ? ['You withdrew your listing', 'To show it again, open your private page.']
      : ['Your listing was taken down', 'Your private page says why, and how to appeal.']
  return [{ id: `${links.product(listing.slug)}#hidden-${at}`, at, title, summary, href }]
}

function entryOf(notice: FeedNotice, listing: Listing, links: Links): FeedEntry {
  return { id: `urn:uuid:${notice.id}`, at: notice.at, ...entryWords(notice, listing, links) }
}

function entryWords(notice: FeedNotice, listing: Listing, links: Links): Pick<FeedEntry, 'title' | 'summary' | 'href'> {
  switch (notice.kind) {
    case 'overtaken': {
      const { board, from, to } = notice.facts
      const who = notice.by ? `${notice.by.title} (${links.product(notice.by.slug)})` : 'Another listing'
      return {
        title: `You are now ${rankText(to)} ${BOARD_PERIOD[board]} (was ${rankText(from)})`,
        summary: `${who} overtook you.${links.site.sellsPlaces ? ` See what a higher place costs: ${links.promote({ destination: listing, category: listing.category, board })}` : ''}`,
        href: `${links.base}/board/${board}`,
      }
    }
    case 'taken_down':
      return {
        title: 'Your listing was taken down',
        summary: `We checked your page again. ${REVIEW_REASONS[notice.facts.reason]} Your private page says why, and how to appeal.`,
        href: links.product(listing.slug),
      }
    default: {
      const { title, sentences, see } = wordsOf(notice, listing, links)
      return { title, summary: sentences.join(' '), href: see?.href ?? links.product(listing.slug) }
    }
  }
}

/**
 * The private feed of a listing. Its address is all it needs, so every wrong one gets the same 404. Each request
 * compares the places and the end date first, so the feed is never behind.
 */
export function noticeFeed(app: FastifyInstance, { links, store, clock }: Needs<'links' | 'store' | 'clock'>): void {
  app.get(
    '/feed/:token([A-Za-z0-9_-]+).atom',
    async (request: FastifyRequest<{ Params: { token: string } }>, reply) => {
      reply.headers({ ...SECRET_HEADERS, 'cache-control': 'private, no-store' })
      const listing = await openFeed(store.db, request.params.token)
      if (!listing) throw new Problem('not_found')
      const now = clock()
      if (statusOf(listing, now) === 'published') {
        await comparePlaces(store, { ...listing, listingId: listing.id }, now)
        await notifyOfEnd(store, listing, now)
      }
      const notices = await readNotices(store, listing.id, FEED_LENGTH)
      return reply.type(ATOM).send(renderNoticeFeed({ listing, notices, now, links }))
    },
  )
}
