import { LISTINGS_PATH, SEARCH_PATH } from '@placard/contract/plain'
import { fieldsOf } from '../check.ts'
import {
  address,
  flag,
  list,
  type Of,
  object,
  only,
  optional,
  type Shape,
  text,
  textOrNull,
  whole,
  wholeFrom,
  wholeOrNull,
} from './shape.ts'
import { inAddress } from './text.ts'

const fields = {
  id: wholeFrom(1),
  status: only('published'),
  slug: text,
  productUrl: address,
  /** The listed website. */
  url: address,
  host: text,
  title: text,
  description: text,
  category: text,
  language: text,
  /** All times are Unix milliseconds. */
  publishedAt: whole,
  expiresAt: wholeOrNull,
  updatedAt: whole,
  ownerVerifiedSince: wholeOrNull,
  pictureUrl: optional(address),
}

export const listingShape = object(fields)
/** A published listing. Its words come from its website. */
export type Listing = Of<typeof listingShape>

const tombstoneShape = object({
  id: wholeFrom(1),
  /** `unavailable`, `expired` or `filtered_out`. The list may grow. */
  status: text,
  since: whole,
})
/** What remains of a listing that is not shown: delete your copy. */
export type Tombstone = Of<typeof tombstoneShape>

/** A listing, or what remains of it: `status` says which. */
export const entryShape: Shape<Listing | Tombstone> = Object.assign(
  (value: unknown) => ((value as Listing | null)?.status === 'published' ? listingShape : tombstoneShape)(value),
  { schema: { anyOf: [listingShape.schema, tombstoneShape.schema] } },
)

export const listingPageShape = object({
  listings: list(entryShape),
  nextCursor: textOrNull,
  /** For the next request: it gets what changed after this list was begun. */
  updatedSince: whole,
})
/** A page of the listings. */
export type ListingPage = Of<typeof listingPageShape>

export const searchPageShape = object({
  listings: list(object({ ...fields, missingWords: list(text) })),
  /** Whether the results are for corrected words, because no listing has those as written. */
  isCorrected: flag,
  nextCursor: textOrNull,
})
/** A page of search results. */
export type SearchPage = Of<typeof searchPageShape>

/** Which listings to read. */
export interface ListingsRequest {
  /** An English category ID. */
  category?: string | undefined
  /** Such as `pt`, whatever the region. */
  language?: string | undefined
  /** Only listings whose owner proved the website. */
  ownerVerified?: boolean | undefined
  /** Unix milliseconds: only what changed since, with tombstones. */
  updatedSince?: number | undefined
  /** `nextCursor` of the page before, with the same other fields. */
  cursor?: string | undefined
  /** Up to 100. */
  limit?: number | undefined
}

/** What to search for. */
export interface SearchRequest extends Omit<ListingsRequest, 'updatedSince'> {
  query: string
  sort?: 'relevance' | 'newest' | undefined
}

export const listingsPath = (request: ListingsRequest): string => LISTINGS_PATH + queryOf(request)

export const listingPath = (slug: string): string => `${LISTINGS_PATH}/${inAddress(slug)}`

export function searchPath(request: SearchRequest): string {
  const { query, ...rest } = fieldsOf('The request', request)
  return SEARCH_PATH + queryOf({ ...rest, q: query })
}

/** Fields that are not documented are sent, too: the service names them in its refusal. */
function queryOf(request: object): string {
  const { ownerVerified, ...sent } = fieldsOf('The request', request)
  const parameters = Object.entries({ ...sent, verified: ownerVerified ? 'true' : undefined })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)])
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`
}
