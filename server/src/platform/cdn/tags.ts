import type { FastifyInstance } from 'fastify'
import type { PurgeApi } from '../config/outside-services.ts'
import { nextMidnight } from '../lib/time.ts'

/** Returns the name of a category in an address or a tag: `Analytics & Data` is `analytics-data`. */
export const categorySlug = (category: string): string => category.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/**
 * The tags of public replies, by which shared caches purge (`docs/scaling.md`). Operators' rules may name them, so they
 * are part of the interface.
 */
export const TAGS = {
  /** On every reply that has tags. */
  site: 'site',
  home: 'home',
  /** The newest listings, the feed and the sitemaps. */
  newest: 'newest',
  search: 'search',
  /** The listings as data, in pages. */
  listings: 'listings',
  /** Past days and months. */
  days: 'days',
  /** Lists and boards of all categories. */
  categories: 'categories',
  category: (category: string) => `category-${categorySlug(category)}`,
  /** @param board `all`, `today`, or the name of a category */
  board: (board: string) => `board-${categorySlug(board)}`,
  /** Everything at the addresses of one listing, and pages that also show it. */
  listing: (slug: string) => `listing-${slug}`,
} as const

/** Returns the tags of a page that shows some listings: one that is hidden must leave it. */
export const listingTags = (listings: readonly { slug: string }[]): string[] => [
  ...new Set(listings.map(({ slug }) => TAGS.listing(slug))),
]

/** How long purged content may be cached: if a purge was lost, a page is wrong for at most twice this long. */
const HELD_SECONDS = 60

/** While the service cannot be reached. A listing that was taken down is purged, so it does not return. */
const IF_ERROR_SECONDS = 24 * 3600

/**
 * Lets the purged cache hold everything with tags, including listings, in headers that browsers and other caches ignore
 * (RFC 9213; Surrogate-Control for older ones). Nothing is fresh past UTC midnight, when the board of today ends. Souin
 * would take tags with spaces between them for one.
 */
export function keepInCdn(app: FastifyInstance, api: PurgeApi, clock: () => number): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!reply.hasHeader('surrogate-key')) return done()
    const now = clock()
    const seconds = Math.min(HELD_SECONDS, Math.floor((nextMidnight(now) - now) / 1000))
    const held = `max-age=${seconds}, stale-while-revalidate=${seconds}, stale-if-error=${IF_ERROR_SECONDS}`
    if (api === 'souin') reply.header('surrogate-key', String(reply.getHeader('cache-tag')).replaceAll(',', ', '))
    reply.header('cdn-cache-control', held).header('surrogate-control', held)
    done()
  })
}
