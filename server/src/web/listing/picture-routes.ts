import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readStandings } from '../../boards/standings.ts'
import { TAGS } from '../../edge/tags.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { sendPublic } from '../../http/send.ts'
import { statusOf } from '../../listings/listing.ts'
import { findProduct, type Product } from '../../listings/product.ts'
import type { DrawnPictures } from '../../pictures/drawn-pictures.ts'
import { PICTURE_MEDIA_TYPE } from '../../pictures/size.ts'
import type { Store } from '../../storage/store.ts'
import { utcDay } from '../../time.ts'
import { LISTED_CACHE, PICTURE_HEADERS, sendDrawn } from '../site/send-drawn.ts'
import { findPicture } from './find-picture.ts'
import { shareDrawing } from './share-drawing.ts'

interface PictureDependencies {
  links: Links
  store: Store
  drawn: DrawnPictures
  clock: () => number
}

type PictureRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { v?: string } }>

/** The pictures of listings, as stored, and those shown where a listing is shared, which are drawn. */
export async function pictureRoutes(
  app: FastifyInstance,
  { links, store, drawn, clock }: PictureDependencies,
): Promise<void> {
  app.get('/picture/:slug', async (request: PictureRequest, reply) => {
    const product = await productAt(request)
    if (product === 'gone') return sendGone(reply)
    const picture = await findPicture(store, product.id)
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
    const product = await productAt(request)
    if (product === 'gone') return sendGone(reply)
    const now = clock()
    // A listing with an end has no verified money.
    const isPaid = product.expiresAt === null
    const [standings, picture] = await Promise.all([
      isPaid ? readStandings(store, product.destinationKey, now) : {},
      product.pictureVersion === null ? null : findPicture(store, product.id),
    ])
    const drawing = shareDrawing(product, { standings, today: utcDay(now), site: links.site })
    return sendDrawn(request, reply, drawn, {
      drawing,
      picture,
      cache: LISTED_CACHE,
      tags: [TAGS.listing(product.slug)],
    })
  })

  async function productAt({ params }: PictureRequest): Promise<Product | 'gone'> {
    const product = await findProduct(store, params.slug)
    if (!product) throw new Problem('not_found')
    return statusOf(product, clock()) === 'published' ? product : 'gone'
  }
}

/** Reveals nothing about the listing, not even that it had a picture. */
const sendGone = (reply: FastifyReply) =>
  reply
    .code(410)
    .headers({ ...PICTURE_HEADERS, 'cache-control': 'no-cache' })
    .type('text/plain; charset=utf-8')
    .send('This listing is down.\n')
