import { hash } from 'node:crypto'
import {
  LISTING_PAGE_DEFAULT,
  LISTINGS_PATH,
  type ListingPage,
  type ListingsQuery,
  listingSchema,
  listingsSchema,
  SEARCH_PAGE_DEFAULT,
  SEARCH_PATH,
  type SearchPage,
  type SearchQuery,
  searchSchema,
  type Tombstone,
} from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { JSON_TYPE, sendPublic } from '../../platform/http/send.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import { shownQuery } from '../search/query.ts'
import { findPublic, listingData, OVERLAP_MS, type PublicRow, tombstoneOf } from './public-listing.ts'
import { type ListingPosition, lastUpdate, passes, readChanged, readNewest } from './read-listings.ts'
import { readSearchCursor, type SearchOrder, search, writeSearchCursor } from './search.ts'

interface ListingsApi extends SiteParts {
  /** Whether a text contains a private link, which is neither searched nor repeated. */
  isSecret: (text: string) => boolean
  /** Limits of the two kinds of requests. */
  onRead: onRequestHookHandler
  onSearch: onRequestHookHandler
}

/** Per client: pages of listings, single listings, and boards of days and categories together. */
export const READS_PER_MINUTE = 600

/** Adds GET /api/v1/listings, /listings/{slug} and /search: everything that is listed, as public data. */
export function listingRoutes(app: FastifyInstance, deps: ListingsApi): void {
  const { links, store, clock, onRead, onSearch } = deps

  app.get<{ Querystring: ListingsQuery }>(
    LISTINGS_PATH,
    { schema: listingsSchema, ...OPEN, onRequest: onRead },
    async (request, reply) => {
      const lastChange = await lastUpdate(store)
      const page = await listingPage(deps, request.query, lastChange, clientNetworks(request))
      return send(request, reply, page, { lastChange, cache: CACHE.home, tags: [TAGS.listings] })
    },
  )

  app.get<{ Params: { slug: string } }>(
    `${LISTINGS_PATH}/:slug`,
    { schema: listingSchema, ...OPEN, onRequest: onRead },
    async (request, reply) => {
      const row = await findPublic(store, request.params.slug)
      if (!row) {
        throw new Problem('not_found', { message: `There is no such listing. Find it with GET ${SEARCH_PATH}.` })
      }
      const tombstone = tombstoneOf(row, clock())
      return send(request, reply, tombstone ?? listingData(row, links), {
        lastChange: Math.max(row.updatedAt, tombstone?.since ?? 0),
        cache: CACHE.listing,
        tags: [TAGS.listing(row.slug)],
      })
    },
  )

  app.get<{ Querystring: SearchQuery }>(
    SEARCH_PATH,
    { schema: searchSchema, ...OPEN, onRequest: onSearch },
    async (request, reply) => {
      const { q, sort, limit, verified, ...query } = request.query
      const wanted = { ...query, words: q, order: sort, isVerified: verified !== undefined }
      const page = await searchPage(deps, { ...wanted, limit: Number(limit ?? SEARCH_PAGE_DEFAULT) }, 'q', request)
      return send(request, reply, page, { cache: CACHE.home, tags: [TAGS.search] })
    },
  )
}

/** @param sending `lastChange`: when anything in the body last changed, if that is known */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  body: object,
  { lastChange = 0, ...sending }: { lastChange?: number; cache: string; tags: string[] },
): FastifyReply {
  if (lastChange > 0) reply.header('last-modified', new Date(lastChange).toUTCString())
  return sendPublic(request, reply, JSON.stringify(body), { ...sending, mediaType: JSON_TYPE })
}

const STEP_MS = 10 * SECOND_MS

/** Returns a page of the listings. @param lastChange of any listing @throws Problem invalid_cursor */
export async function listingPage(
  { store, links, clock }: SiteParts,
  { cursor, limit: limitText, updatedSince, verified, category, language }: ListingsQuery,
  lastChange: number,
  networks: readonly string[],
): Promise<ListingPage> {
  const now = clock()
  const limit = Number(limitText ?? LISTING_PAGE_DEFAULT)
  const filters = { category, language, isVerified: verified !== undefined }
  const kind = updatedSince === undefined ? 'n' : 'u'
  const mark = markOf(filters)
  const begun = cursor === undefined ? undefined : readListingCursor(cursor, kind, mark)
  // While nothing changes, this does not either, so that the ETag stays valid. In steps, so that caches help more often.
  const settled = Math.floor((now - OVERLAP_MS) / STEP_MS) * STEP_MS
  const nextSince = begun?.since ?? Math.max(0, Math.min(lastChange, settled))
  const nextCursor = (next: ListingPosition | undefined) =>
    next ? `${kind}${next.at}-${next.id}-${nextSince}${mark}` : null
  if (updatedSince === undefined) {
    const page = await readNewest(readingFor(store, networks), { ...filters, after: begun, limit, now })
    return {
      listings: page.rows.map(row => listingData(row, links)),
      nextCursor: nextCursor(page.next),
      updatedSince: nextSince,
    }
  }
  const after = begun ?? { at: Number(updatedSince), id: 0 }
  const page = await readChanged(store, { after, limit, now })
  const shown = (row: PublicRow) =>
    tombstoneOf(row, now) ?? (passes(row, filters) ? listingData(row, links) : filteredOut(row))
  return { listings: page.rows.map(shown), nextCursor: nextCursor(page.next), updatedSince: nextSince }
}

/** A copy with filters may have this listing from before it changed. */
const filteredOut = ({ id, updatedAt }: PublicRow): Tombstone => ({ id, status: 'filtered_out', since: updatedAt })

/** Numbers without leading zeros, so that each position has exactly one spelling. */
const CURSOR_TEXT = /^([nu])(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})(~[0-9a-f]{8})$/

/** @param kind of the list: `n` for newest first, `u` for what was updated @throws Problem invalid_cursor */
function readListingCursor(text: string, kind: 'n' | 'u', mark: string): ListingPosition & { since: number } {
  const [, ofKind, at, id, since, ofMark] = CURSOR_TEXT.exec(text) ?? []
  if (ofKind === kind && ofMark === mark) return { at: Number(at), id: Number(id), since: Number(since) }
  const detail =
    ofKind &&
    (kind === ofKind
      ? OTHER_LIST
      : kind === 'n'
        ? 'This cursor continues a list of changes: send updatedSince with it.'
        : 'This cursor continues a list without updatedSince.')
  throw new Problem('invalid_cursor', { field: 'cursor', detail })
}

const OTHER_LIST = 'This cursor continues a list with other parameters: send the same ones with it.'

/** Ties a cursor to what it was asked for with: with other filters, its page would belong to another list. */
const markOf = (asked: object): string => `~${hash('sha256', JSON.stringify(asked)).slice(0, 8)}`

interface Searched {
  words: string
  category?: string | undefined
  language?: string | undefined
  isVerified?: boolean | undefined
  order?: SearchOrder | undefined
  cursor?: string | undefined
  limit: number
}

/** Returns a page of what a program searched for. @param field the name of the query @throws Problem */
export async function searchPage(
  { store, links, clock, isSecret }: SiteParts & Pick<ListingsApi, 'isSecret'>,
  { words, cursor, ...narrowed }: Searched,
  field: string,
  request: FastifyRequest,
): Promise<SearchPage> {
  if (isSecret(words)) {
    throw new Problem('invalid_body', {
      field,
      message: 'This looks like a private link. Never send one; search for words instead.',
    })
  }
  const { order = 'relevance', isVerified = false, category, language } = narrowed
  const mark = markOf({ words: shownQuery(words), order, isVerified, category, language })
  const [position, ofMark] = cursor?.split(/(?=~)/) ?? []
  const after = readSearchCursor(position)
  if (cursor !== undefined && !(after && ofMark === mark)) {
    throw new Problem('invalid_cursor', { field: 'cursor', detail: after && ofMark && OTHER_LIST })
  }
  const now = clock()
  const found = await search(readingFor(store, clientNetworks(request)), {
    ...narrowed,
    words: shownQuery(words),
    after,
    now,
  })
  return {
    // One may have been taken down since it was found.
    listings: found.rows
      .filter(row => !tombstoneOf(row, now))
      .map(row => ({ ...listingData(row, links), missingWords: row.missing })),
    isCorrected: found.isCorrected,
    nextCursor: found.next ? writeSearchCursor(found.next) + mark : null,
  }
}
