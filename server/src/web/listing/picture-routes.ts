import type { FastifyInstance, FastifyRequest } from 'fastify'
import { productAt } from '../../domain/listings/listing.ts'
import { PICTURE_MEDIA_TYPE } from '../../domain/pictures/drawing.ts'
import { StorageAway } from '../../domain/pictures/storage.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic } from '../../platform/http/send.ts'
import type { Needs } from '../ui/page-parts.ts'
import { LISTED_CACHE, PICTURE_HEADERS, sendBusy, sendDrawn, sendGone } from '../ui/send-picture.ts'
import { readShareDrawing } from './share.tsx'

export type PictureDependencies = Needs<'links' | 'store' | 'drawn' | 'stored' | 'clock'>

type PictureRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { v?: string } }>

/** The pictures of listings, as stored, and those shown where a listing is shared, which are drawn. */
export async function pictureRoutes(
  app: FastifyInstance,
  { links, store, drawn, stored, clock }: PictureDependencies,
): Promise<void> {
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
}
