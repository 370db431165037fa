import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { listsTag, sendPublic } from '../../http/send.ts'
import { DrawnPictures } from '../../pictures/drawn-pictures.ts'
import type { Drawing } from '../../pictures/maker.ts'
import { placardVersion, sharePictureKey } from '../../pictures/placarded.ts'
import { PICTURE_MEDIA_TYPE } from '../../pictures/size.ts'
import type { Store } from '../../storage/store.ts'
import { findPicture, type Pictured } from './find-picture.ts'

interface PictureDependencies {
  store: Store
  clock: () => number
}

type PictureRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { v?: string } }>

/** A picture opened on its own may load and run nothing, whatever a browser takes it for. */
const PICTURE_HEADERS = { 'content-security-policy': "default-src 'none'; sandbox" }
/** Other websites embed share pictures. */
const SHARED_HEADERS = { ...PICTURE_HEADERS, 'cross-origin-resource-policy': 'cross-origin' }

/**
 * A listing that is taken down must not live on in its picture. No page links to the picture any more, so a browser may
 * keep its own copy for an hour. A shared cache answers everybody, so it must revalidate every minute. An address
 * without a version stays the same when the picture changes.
 */
const CACHE = {
  versioned: 'public, max-age=3600, s-maxage=60, immutable',
  latest: 'public, max-age=60',
  gone: 'no-cache',
} as const

/** A placard is about 10 kB and takes a third of a second to draw; a page shows dozens. */
const PLACARDS = { keptMaxBytes: 16 * 1024 * 1024, waitingMax: 100 }
/** A share picture is about 15 kB, far more with a stored picture, and takes as long. */
const SHARE_PICTURES = { keptMaxBytes: 16 * 1024 * 1024, waitingMax: 20 }
const BUSY_RETRY_SECONDS = 5

/** The pictures of listings: stored, or drawn if there is none. */
export async function pictureRoutes(
  app: FastifyInstance,
  { store, clock }: PictureDependencies,
): Promise<void> {
  const placards = new DrawnPictures(PLACARDS)
  const sharePictures = new DrawnPictures(SHARE_PICTURES)

  app.get('/picture/:slug', async (request: PictureRequest, reply) => {
    const pictured = await findPicture(store, request.params.slug, clock())
    if (!pictured) throw new Problem('not_found')
    if (pictured === 'gone') return sendGone(reply)
    reply.headers(PICTURE_HEADERS)
    const cache = cacheFor(request, pictured)
    if (pictured.bytes) {
      return sendPublic(request, reply, pictured.bytes, { cache, mediaType: PICTURE_MEDIA_TYPE })
    }
    const { title, hostname, category, language } = pictured
    const listing = { title, hostname, category, language }
    const placard = await drawn(request, placards, placardVersion(listing), { kind: 'placard', listing })
    if (!placard) return sendBusy(reply)
    return sendPublic(request, reply, placard, { cache, mediaType: PICTURE_MEDIA_TYPE })
  })

  app.get('/picture/:slug/share.png', async (request: PictureRequest, reply) => {
    const pictured = await findPicture(store, request.params.slug, clock())
    if (!pictured) throw new Problem('not_found')
    if (pictured === 'gone') return sendGone(reply)
    const { bytes: picture, ...listing } = pictured
    const key = sharePictureKey(listing)
    const etag = `"${key}"`
    reply.headers({ ...SHARED_HEADERS, 'cache-control': cacheFor(request, pictured), etag })
    // Answer before drawing anything.
    if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const png = await drawn(request, sharePictures, key, { kind: 'share', listing, picture })
    return png ? reply.type('image/png').send(png.body) : sendBusy(reply)
  })
}

/** @returns undefined if it cannot be drawn right now */
const drawn = async ({ log }: FastifyRequest, pictures: DrawnPictures, key: string, drawing: Drawing) =>
  pictures.get(key, drawing).catch(err => {
    log.warn({ err, title: drawing.listing.title }, 'could not draw a picture')
    return undefined
  })

function cacheFor({ query }: PictureRequest, pictured: Pictured): string {
  return query.v === (pictured.version ?? placardVersion(pictured)) ? CACHE.versioned : CACHE.latest
}

/** Reveals nothing about the listing, not even that it had a picture. */
const sendGone = (reply: FastifyReply) =>
  reply
    .code(410)
    .headers({ ...PICTURE_HEADERS, 'cache-control': CACHE.gone })
    .type('text/plain; charset=utf-8')
    .send('This listing is down.\n')

const sendBusy = (reply: FastifyReply) =>
  reply
    .code(503)
    .removeHeader('etag')
    .headers({ 'cache-control': 'no-store', 'retry-after': BUSY_RETRY_SECONDS })
    .type('text/plain; charset=utf-8')
    .send('This picture cannot be drawn right now. Try again in a few seconds.\n')
