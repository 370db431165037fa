import Type, { type Static } from 'typebox'
import { errorResponses } from './errors.ts'

export const LISTING_STREAM_PATH = '/api/v1/listings.ndjson'
export const LISTING_STREAM_TYPE = 'application/x-ndjson'

/** Strings, as in an address: types are not converted. */
export const ListingStreamQuery = Type.Object(
  {
    updatedSince: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,14})$',
        description:
          'updatedSince of the last line of your previous stream. The reply then contains only what changed, and a tombstone for each listing that is no longer shown. By default, all published listings.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ListingStreamQuery = Static<typeof ListingStreamQuery>

/** First line of a stream. */
export interface ListingStreamHead {
  /** Origin of the site. */
  site: string
  /** Terms of use of the data: words, or the URL of a page. Null if the operator states none. */
  license: string | null
  /** As requested; null if the stream contains everything. */
  updatedSince: number | null
  /** Unix milliseconds: listings whose `expiresAt` is not later have ended. */
  asOf: number
}

/** Last line of a stream. Without it, the stream was cut. */
export interface ListingStreamEnd {
  complete: true
  /** The lines between the first and the last. */
  rows: number
  /** For the next request. It is before `asOf`, because changes become visible a little later than their time. */
  updatedSince: number
}

export const listingStreamSchema = {
  operationId: 'streamListings',
  summary: 'Read all listings, or all changes, as one stream',
  description:
    'JSON values, one per line. The first line has the terms of use and the time. Each line that follows is a Listing or a Tombstone, with a permanent id. The last line is {"complete": true, "rows", "updatedSince"}: without it, the stream was cut, and must be discarded. Send its updatedSince next time to get only changes; some of them are sent twice. Accepts gzip. A stream that is not read for 20 seconds, or not complete after five minutes, is cut. Public, also for browsers from any origin.',
  tags: ['listings'],
  querystring: ListingStreamQuery,
  response: {
    200: Type.String({ description: 'One JSON value per line.' }),
    ...errorResponses(['invalid_request', 'invalid_body', 'internal_error', 'not_ready']),
  },
} as const
