import { Readable } from 'node:stream'
import {
  LISTING_STREAM_PATH,
  LISTING_STREAM_TYPE,
  type ListingStreamQuery,
  listingStreamSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { licenseUrl } from '../../platform/config/site.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import type { SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { takesGzip } from '../../platform/http/send.ts'
import { createSlots } from '../../platform/lib/slots.ts'
import { ListingStreams, type StreamLimits } from './streams.ts'

/** Streams of one process. The networks of clients take turns, and one network alone leaves a place for others. */
const SLOTS = { atOnceMax: 4, waitersMax: 40, waitMs: 10_000, keptFree: 1 }
const RETRY_SECONDS = 30

/** Adds GET /api/v1/listings.ndjson: all listings, or all changes since a time, from one snapshot of the database. */
export function listingStreamRoute(app: FastifyInstance, deps: SiteParts, limits?: Partial<StreamLimits>): void {
  const { links, store, clock } = deps
  const streams = new ListingStreams(limits)
  const slots = createSlots(SLOTS)
  app.addHook('preClose', () => streams.close())
  app.get<{ Querystring: ListingStreamQuery }>(
    LISTING_STREAM_PATH,
    { schema: listingStreamSchema, ...OPEN },
    async (request, reply) => {
      const { license } = links.site
      const terms = licenseUrl(links.site)
      const isGzip = takesGzip(request.headers['accept-encoding'])
      const { updatedSince } = request.query
      // The next stream differs, so a cache would only fill its disk.
      reply.headers({ 'cache-control': 'no-store', vary: 'accept-encoding' }).type(LISTING_STREAM_TYPE)
      if (terms !== undefined) reply.header('link', `<${terms}>; rel="license"`)
      // Not before, because an error is not compressed.
      const send = (body: Readable) => (isGzip ? reply.header('content-encoding', 'gzip') : reply).send(body)
      // Empty as a stream, because a reply without one states the length 0.
      if (request.method === 'HEAD') return send(Readable.from([]))
      const leave = await slots.enter({ networks: clientNetworks(request) })
      if (!leave) throw tooBusy('Too many streams are being read.')
      const stream = await streams
        .open({
          database: store.address,
          isGzip,
          now: clock(),
          updatedSince: updatedSince === undefined ? undefined : Number(updatedSince),
          base: links.base,
          license,
        })
        .catch(error => {
          leave()
          throw tooBusy('The listings cannot be read now.', error)
        })
      return send(stream.once('close', leave))
    },
  )
}

const tooBusy = (detail: string, cause?: unknown) =>
  new Problem('not_ready', {
    message: `${detail} Retry after the seconds in Retry-After.`,
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })
