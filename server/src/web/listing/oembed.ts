import type { Standings } from '../../boards/standings.ts'
import { EMBED_SECONDS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from '../../pictures/size.ts'
import { BADGE_HEIGHT, badgeWidth } from './badge.ts'
import { badgeCode } from './share.tsx'
import { listingSharePicture } from './share-drawing.ts'

interface Embedded {
  product: Product
  standings: Standings
  /** The present UTC day, as YYYY-MM-DD. */
  today: string
  links: Links
}

/** What the asking website has room for, in pixels. */
export interface Room {
  width: number
  height: number
}

/**
 * A listing for oEmbed 1.0: its badge as HTML, or a link where there is no room for one; and its share picture, where
 * there is room for that.
 */
export function oEmbedOf({ product, standings, today, links }: Embedded, room: Room) {
  const { title } = product
  const { site } = links
  const [width, height] = [badgeWidth({ standing: standings.all, site }), BADGE_HEIGHT]
  const hasRoomFor = (width: number, height: number) => width <= room.width && height <= room.height
  return {
    version: '1.0',
    ...(hasRoomFor(width, height)
      ? { type: 'rich', html: badgeCode(product, links), width, height }
      : { type: 'link' }),
    title,
    provider_name: site.name,
    provider_url: `${links.base}/`,
    cache_age: EMBED_SECONDS,
    ...(hasRoomFor(SHARE_WIDTH, SHARE_HEIGHT) && {
      thumbnail_url: links.base + listingSharePicture(product, { standings, today, site }).path,
      thumbnail_width: SHARE_WIDTH,
      thumbnail_height: SHARE_HEIGHT,
    }),
  }
}

/** The room that a request names: none named is all there is. Undefined for what is no size. */
export function roomOf({
  maxwidth,
  maxheight,
}: {
  maxwidth?: unknown
  maxheight?: unknown
}): Room | undefined {
  const [width, height] = [sizeOf(maxwidth), sizeOf(maxheight)]
  return width === undefined || height === undefined ? undefined : { width, height }
}

function sizeOf(text: unknown): number | undefined {
  if (text === undefined) return Number.POSITIVE_INFINITY
  return typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

/** The slug in the address of a product page of ours, or undefined. */
export function slugOfAddress(address: unknown, links: Links): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  const [, slug] = /^\/product\/([a-z0-9-]{1,200})$/.exec(pathname) ?? []
  return origin === new URL(links.base).origin ? slug : undefined
}

/** Where `oEmbedOf` answers for a listing. */
export const oEmbedPath = (slug: string, links: Links): string =>
  `/oembed?${new URLSearchParams({ url: links.product(slug), format: 'json' })}`
