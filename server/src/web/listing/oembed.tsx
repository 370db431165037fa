import { renderToString } from 'preact-render-to-string'
import type { Standings } from '../../domain/boards/standings.ts'
import type { Product } from '../../domain/listings/listing.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from '../../domain/pictures/drawing.ts'
import { paidWords } from '../../platform/config/site.ts'
import { EMBED_SECONDS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { assetPath } from '../ui/assets.ts'
import { clip } from '../ui/format.ts'
import { renderDocument } from '../ui/layout.tsx'
import { ListingPoster } from '../ui/listing-poster.tsx'
import { monthText } from '../ui/time.tsx'
import { listingSharePicture } from './share.tsx'

interface Embedded {
  product: Product
  standings: Standings
  /** The present UTC day, as YYYY-MM-DD. */
  today: string
  links: Links
}

/** What the asking website has room for, in pixels. */
export interface MaxSize {
  width: number
  height: number
}

/** Of a bill in a frame, in pixels: the usual width, and the least at which it can be read. */
const [BILL_WIDTH, BILL_MIN_WIDTH] = [320, 160]
/** Its height to its width. */
const BILL_RATIO = 5 / 4

/**
 * A listing for oEmbed 1.0: its bill in a frame, or a link where there is no room for one; and its share picture, where
 * there is room for that.
 */
export function oEmbedOf({ product, standings, today, links }: Embedded, maxSize: MaxSize) {
  const { slug, title } = product
  const { site } = links
  const width = Math.min(BILL_WIDTH, maxSize.width, Math.floor(maxSize.height / BILL_RATIO))
  const height = Math.round(width * BILL_RATIO)
  const hasRoomFor = (width: number, height: number) => width <= maxSize.width && height <= maxSize.height
  return {
    version: '1.0',
    ...(width < BILL_MIN_WIDTH
      ? { type: 'link' }
      : { type: 'rich', html: renderToString(<Framed {...{ slug, title, width, height, links }} />), width, height }),
    title,
    provider_name: site.name,
    provider_url: `${links.base}/`,
    cache_age: EMBED_SECONDS,
    ...(hasRoomFor(SHARE_WIDTH, SHARE_HEIGHT) && {
      thumbnail_url: links.base + listingSharePicture(product, { standings, today }, site).path,
      thumbnail_width: SHARE_WIDTH,
      thumbnail_height: SHARE_HEIGHT,
    }),
  }
}

interface FramedProps extends Pick<Product, 'slug' | 'title'> {
  width: number
  height: number
  links: Links
}

/** It runs no script. Its own origin, to which its style sheet and font belong, gives it nothing else. */
const Framed = ({ slug, title, width, height, links }: FramedProps) => (
  <iframe
    src={`${links.base}/embed/${slug}`}
    title={`${title} · ${links.site.name}`}
    width={width}
    height={height}
    loading="lazy"
    sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    style={`border:0;color-scheme:light;max-width:100%;height:auto;aspect-ratio:${width}/${height}`}
  />
)

const SITE_NAME_MAX = 20

/** The bill of a listing as a document of its own, for a frame. Its link opens a new tab. */
export const renderEmbed = (product: Product, links: Links): string =>
  renderDocument(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{product.title}</title>
        <base target="_blank" />
        <link rel="canonical" href={links.product(product.slug)} />
        <link rel="stylesheet" href={assetPath('style.css')} />
      </head>
      <body class="framed">
        <ListingPoster
          listing={product}
          note={`${product.expiresAt === null ? `${paidWords(links.site).label} on` : 'on'} ${clip(links.site.name, SITE_NAME_MAX)}`}
        />
      </body>
    </html>,
  )

/** The room that a request names: none named is all there is. Undefined for what is no size. */
export function maxSizeOf({ maxwidth, maxheight }: { maxwidth?: unknown; maxheight?: unknown }): MaxSize | undefined {
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
const oEmbedPath = (slug: string, links: Links): string =>
  `/oembed?${new URLSearchParams({ url: links.product(slug), format: 'json' })}`

/** oEmbed and schema.org: how programs read the page. */
export function ForPrograms({ product, summary, links }: { product: Product; summary: string; links: Links }) {
  const { slug, title } = product
  return (
    <>
      <link rel="alternate" type="application/json+oembed" href={links.base + oEmbedPath(slug, links)} title={title} />
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: dataBlock(product, summary, links.product(slug)) }}
      />
    </>
  )
}

function dataBlock(product: Product, summary: string, address: string): string {
  const { title, url, publishedAt, expiresAt, provenAt } = product
  const data = {
    '@context': 'https://schema.org',
    '@type': 'ItemPage',
    url: address,
    name: title,
    description: summary,
    datePublished: new Date(publishedAt).toISOString(),
    ...(expiresAt !== null && { expires: new Date(expiresAt).toISOString() }),
    mainEntity: {
      '@type': 'WebSite',
      url,
      name: title,
      ...(provenAt !== null && { disambiguatingDescription: `Owner verified in ${monthText(provenAt)}` }),
    },
  }
  // A data block ends at the first `</script`, even inside a JSON string, so escape every `<`.
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}
