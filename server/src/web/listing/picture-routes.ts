import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { listsTag, sendPublic } from '../../http/send.ts'
import { DrawnPictures } from '../../pictures/drawn-pictures.ts'
import type { Drawing } from '../../pictures/picture-maker.ts'
import { PICTURE_MEDIA_TYPE } from '../../pictures/picture-size.ts'
import { sharePictureKey } from '../../pictures/shared.ts'
import type { Store } from '../../storage/store.ts'
import { findPicture, type Pictured } from './find-picture.ts'

interface PictureDependencies {
  store: Store
  clock: () => number
}

type PictureRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { v?: string } }>

/** Opened by itself a picture may load and run nothing, whatever it is taken for. */
const PICTURE_HEADERS = { 'content-security-policy': "default-src 'none'; sandbox" }
/** Other websites show what is shared, too. */
const SHARED_HEADERS = { ...PICTURE_HEADERS, 'cross-origin-resource-policy': 'cross-origin' }

/**
 * A listing that is taken down must not live on in its picture. No page names the picture from then on, so a browser's
 * own copy is seen by nobody who does not look for it: it may spare the journey for an hour. A shared cache answers
 * everybody, so it has to ask each minute. Without the version the address is the same for whatever comes next.
 */
const CACHE = {
  versioned: 'public, max-age=3600, s-maxage=60, immutable',
  latest: 'public, max-age=60',
  gone: 'no-cache',
} as const

/** A share picture is some fifteen kilobytes, far more with a stored picture, and takes a third of a second. */
const SHARE_PICTURES = { keptMaxBytes: 16 * 1024 * 1024, waitingMax: 20 }
const BUSY_RETRY_SECONDS = 5

/** The pictures of listings, as stored, and those shown where a listing is shared, which are drawn. */
export async function pictureRoutes(
  app: FastifyInstance,
  { store, clock }: PictureDependencies,
): Promise<void> {
  const sharePictures = new DrawnPictures(SHARE_PICTURES)

  app.get('/picture/:slug', async (request: PictureRequest, reply) => {
    const pictured = await findPicture(store, request.params.slug, clock())
    if (!pictured) throw new Problem('not_found')
    if (pictured === 'gone') return sendGone(reply)
    if (!pictured.bytes) throw new Problem('not_found')
    reply.headers(PICTURE_HEADERS)
    const cache = cacheFor(request, pictured)
    return sendPublic(request, reply, pictured.bytes, { cache, mediaType: PICTURE_MEDIA_TYPE })
  })

  app.get('/picture/:slug/share.png', async (request: PictureRequest, reply) => {
    const pictured = await findPicture(store, request.params.slug, clock())
    if (!pictured) throw new Problem('not_found')
    if (pictured === 'gone') return sendGone(reply)
    const { bytes: picture, ...listing } = pictured
    const key = sharePictureKey(listing)
    const etag = `"${key}"`
    reply.headers({ ...SHARED_HEADERS, 'cache-control': cacheFor(request, pictured), etag })
    // Said before anything is drawn.
    if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const png = await drawn(request, sharePictures, key, { kind: 'share', listing, picture })
    return png ? reply.type('image/png').send(png.body) : sendBusy(reply)
  })
}

/** @returns undefined where it cannot be drawn just now */
const drawn = async ({ log }: FastifyRequest, pictures: DrawnPictures, key: string, drawing: Drawing) =>
  pictures.get(key, drawing).catch(err => {
    log.warn({ err, title: drawing.listing.title }, 'a picture could not be drawn')
    return undefined
  })

function cacheFor({ query }: PictureRequest, pictured: Pictured): string {
  return query.v !== undefined && query.v === pictured.version ? CACHE.versioned : CACHE.latest
}

/** Nothing of the listing, not even that it had a picture. */
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
    .send('This picture cannot be drawn just now. Try again in some seconds.\n')
