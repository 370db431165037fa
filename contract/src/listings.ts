import Type, { type Static } from 'typebox'
import { CATEGORIES } from './categories.ts'
import { errorResponses } from './errors.ts'
import { SEARCH_MAX_LENGTH } from './limits.ts'
import { SEARCH_WORDS } from './tool-words.ts'

export const LISTING_PAGE_MAX = 100
export const LISTING_PAGE_DEFAULT = 50

const atOrNever = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

/** The public id of a listing, here, on boards, in draws and in the log. */
export const ListingId = Type.Integer({ minimum: 1, description: 'Id of the listing. Permanent.' })

/** What the public sees of a listing. Its words come from its website: data, never instructions. */
export const LISTING_FIELDS = {
  slug: Type.String({ description: 'The last part of productUrl. Permanent.' }),
  productUrl: Type.String({ format: 'uri', description: 'Public page of the listing.' }),
  url: Type.String({ format: 'uri', description: 'The listed website.' }),
  host: Type.String({ description: 'Host name of the listed website.' }),
  title: Type.String(),
  description: Type.String(),
  category: Type.String({ description: 'English category ID.' }),
  language: Type.String({ description: 'BCP 47, as the website declares it or as its words look. May be empty.' }),
  publishedAt: Type.Integer({ description: 'Unix milliseconds. A new term moves it.' }),
  expiresAt: atOrNever('Unix milliseconds: the listing is not shown from then on. Null while no end is scheduled.'),
  updatedAt: Type.Integer({ description: 'Unix milliseconds: the last change of anything here.' }),
  ownerVerifiedSince: atOrNever(
    'Unix milliseconds: when the owner proved the website. Null if no one did, or the proof is gone.',
  ),
  pictureUrl: Type.Optional(
    Type.String({ format: 'uri', description: 'A WebP of its preview image. Absent if it has none.' }),
  ),
}

/** A published listing, as data. */
export const Listing = Type.Object(
  { id: ListingId, status: Type.Literal('published'), ...LISTING_FIELDS },
  { title: 'Listing', description: 'A published listing.' },
)
export type Listing = Static<typeof Listing>

const NOON = Date.UTC(2026, 8, 7, 12)

/** An example for the API document. */
export const EXAMPLE_LISTING = {
  id: 42,
  status: 'published',
  slug: 'your-customer-example',
  productUrl: 'https://placard.example.org/product/your-customer-example',
  url: 'https://www.your-customer.example/',
  host: 'www.your-customer.example',
  title: 'Your Customer',
  description: 'What the page says of itself.',
  category: 'Developer Tools',
  language: 'en',
  publishedAt: NOON,
  expiresAt: null,
  updatedAt: NOON,
  ownerVerifiedSince: null,
} as const satisfies Listing

export const TOMBSTONE_STATUSES = ['unavailable', 'expired', 'filtered_out'] as const

/** What remains of a listing that is not shown. It has no words of its website, so that mirrors delete them. */
export const Tombstone = Type.Object(
  {
    id: ListingId,
    status: Type.Enum([...TOMBSTONE_STATUSES], {
      type: 'string',
      description:
        'unavailable: taken down or withdrawn. expired: its time has ended. filtered_out: published, but it does not pass the filters of this request. Delete your copy in each case.',
    }),
    since: Type.Integer({ description: 'Unix milliseconds.' }),
  },
  { title: 'Tombstone', description: 'A listing that is not shown.' },
)
export type Tombstone = Static<typeof Tombstone>

/** What the public sees of a listing. */
export const ListingEntry = Type.Union([Listing, Tombstone], { title: 'ListingEntry' })

const nextCursor = Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null on the last.' })

/** Parameters of lists of listings. Strings, as in an address: types are not converted. */
const LIST_QUERY = {
  cursor: Type.Optional(
    Type.String({
      description: 'nextCursor of the previous page, with the same other parameters. By default, the first page.',
    }),
  ),
  category: Type.Optional(Type.Enum([...CATEGORIES], { type: 'string', description: 'Only of this category.' })),
  language: Type.Optional(
    Type.String({ pattern: '^[a-z]{2,3}$', description: 'Only in this language, whatever the region, such as `pt`.' }),
  ),
  verified: Type.Optional(
    Type.Enum(['true'], { type: 'string', description: 'Only listings whose owner proved the website: `true`.' }),
  ),
}
const limitOf = (ofDefault: number) =>
  Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|100)$',
      description: `Listings on a page: a whole number from 1 to ${LISTING_PAGE_MAX}. By default, ${ofDefault}.`,
    }),
  )

export const ListingsQuery = Type.Object(
  {
    ...LIST_QUERY,
    limit: limitOf(LISTING_PAGE_DEFAULT),
    updatedSince: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,14})$',
        description:
          'Unix milliseconds, such as updatedSince of an earlier reply: only what changed since then, oldest change first, with a tombstone for each listing that is not shown any more.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ListingsQuery = Static<typeof ListingsQuery>

/** One page of the listings. */
export const ListingPage = Type.Object(
  {
    listings: Type.Array(ListingEntry, {
      description: 'Tombstones only with updatedSince. With filters, a page that is not the last can have few or none.',
    }),
    nextCursor,
    updatedSince: Type.Integer({
      description:
        'For the next request: it gets what changed after this list was begun. It is the same on all pages of a list. It is some minutes back, so some changes come twice.',
    }),
  },
  { title: 'ListingPage' },
)
export type ListingPage = Static<typeof ListingPage>

export const SEARCH_PAGE_DEFAULT = 20

export const SearchQuery = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: SEARCH_MAX_LENGTH, description: 'Words, in any language.' }),
    sort: Type.Optional(Type.Enum(['relevance', 'newest'], { type: 'string', description: 'By default, relevance.' })),
    ...LIST_QUERY,
    limit: limitOf(SEARCH_PAGE_DEFAULT),
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

/** A listing that search found. */
export const FoundListing = Type.Object(
  {
    ...Listing.properties,
    missingWords: Type.Array(Type.String(), {
      description: 'Words of the query that the listing does not have. Listings that have all of them come first.',
    }),
  },
  { title: 'FoundListing' },
)

/** One page of search results. */
export const SearchPage = Type.Object(
  {
    listings: Type.Array(FoundListing),
    isCorrected: Type.Boolean({
      description: 'True if no listing has the words as written. The results are then for the corrected words.',
    }),
    nextCursor,
  },
  { title: 'SearchPage' },
)
export type SearchPage = Static<typeof SearchPage>

export const ListingParams = Type.Object({
  slug: Type.String({ description: 'The last part of productUrl.' }),
})

const tags = ['listings'] as const
const unchanged = { type: 'null', description: 'Unchanged since the ETag in If-None-Match.' } as const
const OF_ALL = ['invalid_request', 'invalid_body', 'rate_limited', 'internal_error', 'not_ready'] as const
const OPEN_TO_ALL = 'Public, also for browsers from any origin.'

export const listingsSchema = {
  operationId: 'listListings',
  summary: 'Read all listings, or those that changed',
  description: `Every published listing, newest first. To keep a copy, read all pages once, and from then on what changed: with the updatedSince of the list before. Each page costs the same, however many listings there are. ${OPEN_TO_ALL}`,
  tags,
  querystring: ListingsQuery,
  response: {
    200: { ...ListingPage, description: 'A page of listings.' },
    304: unchanged,
    ...errorResponses([...OF_ALL, 'unknown_category', 'invalid_cursor', 'invalid_limit']),
  },
} as const

export const listingSchema = {
  operationId: 'getListing',
  summary: 'Read one listing',
  description: `A listing while it is published, and its tombstone from then on. ${OPEN_TO_ALL}`,
  tags,
  params: ListingParams,
  querystring: Type.Object({}, { additionalProperties: false }),
  response: {
    200: { ...ListingEntry, description: 'The listing, or its tombstone.' },
    304: unchanged,
    ...errorResponses([...OF_ALL, 'not_found']),
  },
} as const

export const searchSchema = {
  operationId: 'searchListings',
  summary: 'Search the listings',
  description: `${SEARCH_WORDS} ${OPEN_TO_ALL}`,
  tags,
  querystring: SearchQuery,
  response: {
    200: { ...SearchPage, description: 'A page of what was found.' },
    304: unchanged,
    ...errorResponses([...OF_ALL, 'unknown_category', 'invalid_cursor', 'invalid_limit']),
  },
} as const
