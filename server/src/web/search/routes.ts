import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readSearchCursor, search } from '../../domain/listings/search.ts'
import { mayHoldOwnerKey } from '../../domain/ownership/claims.ts'
import type { DrawnPictures } from '../../domain/pictures/drawn-pictures.ts'
import { shownQuery } from '../../domain/search/query.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor, type Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Allowance, limitRate } from '../../platform/http/rate-limits/rate-limit.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { FEED_LENGTH, listingEntries, sendFeed } from '../ui/atom.ts'
import { findCategory } from '../ui/format.ts'
import { cursorIn } from '../ui/paging.tsx'
import { LISTED_CACHE, sendDrawn } from '../ui/send-picture.ts'
import { searchDrawing } from '../ui/share-picture.tsx'
import {
  ANYTHING,
  isWhole,
  knownSearchLanguage,
  renderFound,
  renderSearchForm,
  searchFeed,
  type Wanted,
} from './page.tsx'

interface SearchDependencies {
  links: Links
  store: Store
  searchAllowance: Allowance
  drawn: DrawnPictures
  clock: () => number
}

type SearchRequest = FastifyRequest<{
  Querystring: Partial<Record<'q' | 'category' | 'language' | 'sort' | 'verified' | 'after', unknown>>
}>

const FOUND_PER_PAGE = 24

/** Without any filter. */
const { text: _, ...ANY } = ANYTHING

const FROM_THE_FIRST = 'To start at the first results, remove “after” and everything behind it from the address.'

/** GET /search: the form and the results. /search/feed.atom: new matches of a saved search. /share/search.png: its words. */
export async function searchRoutes(app: FastifyInstance, deps: SearchDependencies): Promise<void> {
  const { links, store, clock } = deps

  // The only page whose cost depends on what the visitor asks for.
  const onRequest = limitRate(deps.searchAllowance)
  app.get('/search', { onRequest }, async (request: SearchRequest, reply) => {
    const { query } = request
    // A private link that was pasted here by mistake is not searched, repeated or stored.
    if (mayHoldOwnerKey(String(query.q))) {
      return sendPublic(request, reply, renderSearchForm(links), { cache: 'no-store' })
    }
    const wanted = wantedOf(query)
    if (wanted.text === '') return sendPublic(request, reply, renderSearchForm(links), { cache: CACHE.home, tags: [] })
    const after = cursorIn(query, readSearchCursor, FROM_THE_FIRST)
    const { text: words, ...narrowed } = wanted
    const page = await search(readingFor(store, clientNetworks(request)), {
      words,
      ...narrowed,
      after,
      now: clock(),
      limit: FOUND_PER_PAGE,
    })
    const html = renderFound({ wanted, links, page, isFurther: after !== undefined })
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
    const entries = listingEntries(isCorrected ? [] : rows, links)
    reply.header('x-robots-tag', 'noindex')
    const feed = { ...searchFeed(wanted), entries }
    return sendFeed(request, reply, feed, { cache: CACHE.home, tags: [TAGS.search], links })
  })
}

/** Leaves out filters that the form doesn't have. The form then shows that they are not applied. */
const wantedOf = ({ q, category, language, sort, verified }: SearchRequest['query']): Wanted => ({
  text: shownQuery(q),
  category: typeof category === 'string' ? findCategory(category) : undefined,
  language: knownSearchLanguage(language),
  order: sort === 'newest' ? 'newest' : 'relevance',
  isVerified: verified === '1',
})
