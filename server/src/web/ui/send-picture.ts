import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Drawing, drawingKey, drawingVersion } from '../../domain/pictures/drawing.ts'
import type { DrawnPictures, LoadPicture } from '../../domain/pictures/drawn-pictures.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE } from '../../platform/http/headers.ts'
import { listsTag, tagReply } from '../../platform/http/send.ts'

/** A picture opened on its own may load and run nothing, whatever a browser takes it for. */
export const PICTURE_HEADERS = { 'content-security-policy': "default-src 'none'; sandbox" }
/** Other websites embed share pictures and badges. */
export const SHARED_HEADERS = { ...PICTURE_HEADERS, 'cross-origin-resource-policy': 'cross-origin' }

/**
 * A listing that is taken down must not live on in a picture. No page links to the picture any more, so a browser may
 * keep its own copy for an hour. A shared cache serves everyone, so it must revalidate every minute. An address
 * without a version stays the same when the picture changes.
 */
export const LISTED_CACHE = {
  versioned: 'public, max-age=3600, s-maxage=30, stale-while-revalidate=30, immutable',
  latest: CACHE.embed,
} as const

/** For a drawing with only our own words: it and its address change only with a release or the settings. */
export const OUR_WORDS_CACHE = { versioned: CACHE.versioned, latest: CACHE.site }

const BUSY_RETRY_SECONDS = 5

interface Sent {
  drawing: Drawing
  /** Loads the stored picture of a listing that has one. */
  picture?: LoadPicture
  /** How long it may be cached under the address with its version, and under any other, which may show another one soon. */
  cache: { versioned: string; latest: string }
  /** What it shows (`TAGS`); left out where only a release or the settings change it. */
  tags?: readonly string[]
}

/** Sends a drawing as PNG, or 304 where the caller has it already, which costs no drawing. */
export async function sendDrawn(
  request: FastifyRequest,
  reply: FastifyReply,
  drawn: DrawnPictures,
  { drawing, picture, cache, tags }: Sent,
): Promise<FastifyReply> {
  const etag = `"${drawingKey(drawing)}"`
  const { v } = request.query as { v?: unknown }
  const isOfVersion = v === drawingVersion(drawing)
  reply.headers({
    ...SHARED_HEADERS,
    'cache-control': isOfVersion ? cache.versioned : cache.latest,
    etag,
  })
  if (tags) tagReply(reply, tags)
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const png = await drawn.get(drawing, clientNetworks(request), picture).catch(err => {
    request.log.warn({ err, drawing: drawing.kind }, 'could not draw a picture')
    return undefined
  })
  return png ? reply.type('image/png').send(png.body) : sendBusy(reply)
}

/** Replies that a picture is missing for now. */
export const sendBusy = (reply: FastifyReply) =>
  reply
    .code(503)
    .removeHeader('etag')
    .removeHeader('surrogate-key')
    .removeHeader('cache-tag')
    .headers({ 'cache-control': 'no-store', 'retry-after': BUSY_RETRY_SECONDS })
    .type('text/plain; charset=utf-8')
    .send('This picture is not available right now. Try again in a few seconds.\n')

/** Replies that a listing is down. Reveals nothing about it, not even that it had a picture. */
export const sendGone = (reply: FastifyReply) =>
  reply.code(410).header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send('This listing is down.\n')
