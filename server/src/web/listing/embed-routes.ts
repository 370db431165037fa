import { BOARDS, type Board } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readStandings, type Standings } from '../../domain/boards/standings.ts'
import { findProduct, type Product, productAt, statusOf } from '../../domain/listings/listing.ts'
import { PICTURE_MEDIA_TYPE } from '../../domain/pictures/drawing.ts'
import { StorageAway } from '../../domain/pictures/storage.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, FRAMED_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { JSON_TYPE, sendPublic } from '../../platform/http/send.ts'
import { utcDay } from '../../platform/lib/time.ts'
import type { Needs } from '../ui/page-parts.ts'
import { LISTED_CACHE, PICTURE_HEADERS, SHARED_HEADERS, sendBusy, sendDrawn, sendGone } from '../ui/send-picture.ts'
import { isBadgeStyle, renderBadge } from './badge.ts'
import { maxSizeOf, oEmbedOf, renderEmbed, slugOfAddress } from './oembed.tsx'
import { readShareDrawing } from './share.tsx'

export type EmbedDependencies = Needs<'links' | 'store' | 'drawn' | 'stored' | 'clock'>

type PictureRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { v?: string } }>

type BadgeRequest = FastifyRequest<{
  Params: { slug: string }
  Querystring: { style?: unknown; board?: unknown }
}>
type OEmbedRequest = FastifyRequest<{
  Querystring: { url?: unknown; format?: unknown; maxwidth?: unknown; maxheight?: unknown }
}>

/** Scripts of other websites may request it, too. */
const OEMBED_HEADERS = { 'cross-origin-resource-policy': 'cross-origin' }

const SVG = 'image/svg+xml; charset=utf-8'

/**
 * Adds what other websites show of a listing: its stored picture, its share picture, its badge, its oEmbed reply, and
 * its placard in a frame.
 */
export function embedRoutes(app: FastifyInstance, { links, store, drawn, stored, clock }: EmbedDependencies): void {
  app.get('/picture/:slug', async (request: PictureRequest, reply) => {
    const { product, status } = await productAt(store, request.params.slug, clock())
    if (status !== 'published') return sendGone(reply.headers(PICTURE_HEADERS))
    const picture = await stored.find(product.id, clientNetworks(request)).catch(error => {
      if (!(error instanceof StorageAway)) throw error
      request.log.warn({ err: error }, 'could not read a picture from object storage')
      return undefined
    })
    if (picture === undefined) return sendBusy(reply)
    if (!picture) throw new Problem('not_found')
    const isOfVersion = request.query.v === product.pictureVersion
    const cache = isOfVersion ? LISTED_CACHE.versioned : LISTED_CACHE.latest
    return sendPublic(request, reply.headers(PICTURE_HEADERS), picture, {
      cache,
      tags: [TAGS.listing(product.slug)],
      mediaType: PICTURE_MEDIA_TYPE,
    })
  })

  app.get('/picture/:slug/share.png', async (request: PictureRequest, reply) => {
    const { product, status } = await productAt(store, request.params.slug, clock())
    if (status !== 'published') return sendGone(reply.headers(PICTURE_HEADERS))
    const drawing = await readShareDrawing(store, product, links.site, clock())
    return sendDrawn(request, reply, drawn, {
      drawing,
      picture: async () => (product.pictureVersion === null ? null : stored.find(product.id, clientNetworks(request))),
      cache: LISTED_CACHE,
      tags: [TAGS.listing(product.slug)],
    })
  })

  app.get('/badge/:slug([a-z0-9-]+).svg', async (request: BadgeRequest, reply) => {
    const { style = 'light', board = 'all' } = request.query
    const saysDrawn = board === DRAWN
    if (!isBadgeStyle(style) || !(saysDrawn || isBoard(board))) throw new Problem('not_found')
    const { product, status } = await productAt(store, request.params.slug, clock())
    if (status !== 'published') return sendGone(reply.headers(SHARED_HEADERS))
    const { title, drawnOn } = product
    const badge = { title, style, site: links.site }
    const svg = saysDrawn
      ? renderBadge({ ...badge, board: 'all', standing: undefined, drawnOn: drawnOn ?? undefined })
      : renderBadge({ ...badge, board, standing: (await standingsOf(product))[board] })
    return sendPublic(request, reply.headers(SHARED_HEADERS), svg, { ...cachingOf(product), mediaType: SVG })
  })

  app.get('/embed/:slug([a-z0-9-]+)', async (request: BadgeRequest, reply) => {
    const { product, status } = await productAt(store, request.params.slug, clock())
    if (status !== 'published') return sendGone(reply.headers(SHARED_HEADERS))
    return sendPublic(request, reply.headers(FRAMED_HEADERS), renderEmbed(product, links), cachingOf(product))
  })

  // oEmbed 1.0: 404 for an address that is not ours or not shown, and 501 for another format than JSON.
  app.get('/oembed', OPEN, async (request: OEmbedRequest, reply) => {
    const { url, format = 'json', ...size } = request.query
    if (format !== 'json') throw new Problem('format_not_served')
    const [slug, room] = [slugOfAddress(url, links), maxSizeOf(size)]
    const product = slug === undefined ? undefined : await findProduct(store, slug)
    if (!room || !product || statusOf(product, clock()) !== 'published') throw new Problem('not_found')
    const said = oEmbedOf({ product, standings: await standingsOf(product), today: utcDay(clock()), links }, room)
    const body = JSON.stringify(said)
    return sendPublic(request, reply.headers(OEMBED_HEADERS), body, { ...cachingOf(product), mediaType: JSON_TYPE })
  })

  /** A listing with an end date has no verified payments. */
  async function standingsOf({ destinationKey, expiresAt }: Product): Promise<Standings> {
    return expiresAt === null ? readStandings(store, destinationKey, clock()) : {}
  }
}

/** Instead of a board: the badge says when the listing was drawn by lot. */
const DRAWN = 'drawn'

const isBoard = (text: unknown): text is Board => (BOARDS as readonly unknown[]).includes(text)

const cachingOf = ({ slug }: Product) => ({ cache: CACHE.embed, tags: [TAGS.listing(slug)] })
