import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ofCategory } from '../../domain/listings/discovery.ts'
import { readSearchCursor, search } from '../../domain/listings/search.ts'
import { suggest } from '../../domain/listings/suggest.ts'
import { mayHoldOwnerKey } from '../../domain/ownership/claims.ts'
import { fittingCategory } from '../../domain/search/category-words.ts'
import { shownQuery, wordsOf } from '../../domain/search/query.ts'
import { distinctiveOf } from '../../domain/search/weak-words.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { limitRate, rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { JSON_TYPE, sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { FEED_LENGTH, listingEntries, sendFeed } from '../ui/atom.ts'
import { findCategory } from '../ui/format.ts'
import type { Needs } from '../ui/page-parts.ts'
import { cursorIn } from '../ui/paging.tsx'
import { LISTED_CACHE, sendDrawn } from '../ui/send-picture.ts'
import { searchDrawing } from '../ui/share-picture.tsx'
import { EMPTY_SEARCH, parseSearchLanguage, type SearchParams, searchFeed } from './filters.tsx'
import { isWhole, renderResults, renderSearchForm } from './page.tsx'
import type { Fitting } from './results.tsx'

type SearchRequest = FastifyRequest<{
  Querystring: Partial<
    Record<'q' | 'category' | 'language' | 'sort' | 'verified' | 'picture' | 'exact' | 'after', unknown>
  >
}>

const FOUND_PER_PAGE = 24
/** If nothing was found, how many listings of the category that fits. */
const FITTING_SHOWN = 4

/** Per client. Someone who types fast causes a few each second. */
export const SUGGESTIONS_PER_MINUTE = 240

/** Without any filter. */
const { text: _, ...ANY } = EMPTY_SEARCH

/**
 * GET /search: the form and the results. /search/feed.atom: new matches of a saved search. /search/suggest: the first
 * listings while someone types. /share/search.png: a search's words.
 */
export function searchRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'searchAllowance' | 'allowances' | 'counts' | 'drawn' | 'clock'>,
): void {
  const { links, store, counts, clock } = deps

  // The only page whose cost depends on what the visitor asks for.
  const onRequest = limitRate(deps.searchAllowance)
  const onTyped = rateLimit(deps.allowances, {
    name: 'suggestionsPerMinutePerIp',
    max: SUGGESTIONS_PER_MINUTE,
    windowMs: MINUTE_MS,
  })
  app.get('/search', { ...OPEN, onRequest }, async (request: SearchRequest, reply) => {
    const { query } = request
    reply.headers(LIVE_HEADERS)
    // A private link that was pasted here by mistake is not searched, repeated or stored.
    if (mayHoldOwnerKey(String(query.q))) {
      return sendPublic(request, reply, renderSearchForm(links), { cache: 'no-store' })
    }
    const wanted = wantedOf(query)
    if (wanted.text === '') return sendPublic(request, reply, renderSearchForm(links), { cache: CACHE.home, tags: [] })
    const after = cursorIn(query, readSearchCursor)
    const { text: words, ...narrowed } = wanted
    const page = await search(readingFor(store, clientNetworks(request)), {
      words,
      ...narrowed,
      after,
      now: clock(),
      limit: FOUND_PER_PAGE,
    })
    const isFurther = after !== undefined
    const fitting = page.rows.length > 0 || isFurther ? { now: clock() } : await fittingTo(words)
    const html = renderResults({ wanted, links, page, fitting, isFurther })
    return sendPublic(request, reply, html, { cache: CACHE.home, tags: [TAGS.search] })
  })

  app.get('/share/search.png', { onRequest }, async (request: SearchRequest, reply) => {
    const words = shownQuery(request.query.q)
    if (words === '' || mayHoldOwnerKey(words)) throw new Problem('not_found')
    // Anyone can type anything. A picture of ours repeats only words that a listing has.
    const found = { words, ...ANY, now: clock(), limit: 1 }
    if (!isWhole(await search(readingFor(store, clientNetworks(request)), found))) throw new Problem('not_found')
    const drawing = searchDrawing(words, links.site)
    return sendDrawn(request, reply, deps.drawn, { drawing, cache: LISTED_CACHE, tags: [TAGS.search] })
  })

  app.get('/search/feed.atom', { onRequest }, async (request: SearchRequest, reply) => {
    const isSecret = mayHoldOwnerKey(String(request.query.q))
    const wanted = wantedOf(request.query)
    if (isSecret || wanted.text === '') return reply.header('cache-control', 'no-store').redirect('/feed.atom')
    const { text: words, ...narrowed } = wanted
    const saved = { words, ...narrowed, order: 'newest', now: clock(), limit: FEED_LENGTH } as const
    const { rows, isCorrected } = await search(readingFor(store, clientNetworks(request)), saved)
    // A page can say that its results are only close. A reader would show them as matches, one by one.
    const matches = rows.filter(({ missing }) => !isCorrected && missing.length === 0)
    const entries = listingEntries(matches, links)
    reply.header('x-robots-tag', 'noindex')
    const feed = { ...searchFeed(wanted), entries }
    return sendFeed(request, reply, feed, { cache: CACHE.home, tags: [TAGS.search], links })
  })

  app.get('/search/suggest', { onRequest: onTyped }, async (request: SearchRequest, reply) => {
    const words = shownQuery(request.query.q)
    const isSecret = mayHoldOwnerKey(String(request.query.q))
    const found = isSecret ? [] : await suggest(readingFor(store, clientNetworks(request)), { words, now: clock() })
    const listings = found.map(({ slug, title, hostname }) => ({ title, hostname, path: `/product/${slug}` }))
    reply.header('x-robots-tag', 'noindex')
    return sendPublic(request, reply, JSON.stringify({ listings }), {
      mediaType: JSON_TYPE,
      // What has tags may be held by a shared cache that is purged.
      ...(isSecret ? { cache: 'no-store' } : { cache: CACHE.home, tags: [TAGS.search] }),
    })
  })

  /** What may help if nothing was found. */
  async function fittingTo(words: string): Promise<Fitting> {
    const now = clock()
    const name = fittingCategory(distinctiveOf(wordsOf(words)))
    if (!name) return { now }
    const { [name]: count } = await counts(now)
    const { rows: newest } = await ofCategory(store, { category: name, now, limit: FITTING_SHOWN })
    return { now, category: count > 0 ? { name, count, newest } : undefined }
  }
}

/** Leaves out filters that the form doesn't have. The form then shows that they are not applied. */
const wantedOf = ({ q, category, language, sort, verified, picture, exact }: SearchRequest['query']): SearchParams => ({
  text: shownQuery(q),
  category: typeof category === 'string' ? findCategory(category) : undefined,
  language: parseSearchLanguage(language),
  order: sort === 'newest' ? 'newest' : 'relevance',
  isVerified: verified === '1',
  hasPicture: picture === '1',
  isExact: exact === '1',
})
