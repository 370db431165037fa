import { DISPLAY_DAYS } from '@placard/contract'
import {
  brandOf,
  type Drawing,
  drawingVersion,
  SHARE_HEIGHT,
  SHARE_WIDTH,
  type SiteDrawing,
} from '../../domain/pictures/drawing.ts'
import { stockOf } from '../../domain/pictures/posters/stock.ts'
import type { Site } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { dayText } from '../../platform/lib/text.ts'

/** The picture that other services show for a shared link. */
export interface SharePicture {
  /** With its version. */
  path: string
  /** Its alternative text. */
  alt: string
}

/** Address of a share picture other than a listing's. @param query of the picture, in addition to its version */
export const sharedPath = (name: string, drawing: Drawing, query?: string): string =>
  `/share/${name}.png?${query ? `${query}&` : ''}v=${drawingVersion(drawing)}`

/** Two lines in the colours of the site. */
const inOurColours = (site: Site, tagline: string, note: string): SiteDrawing => ({
  kind: 'site',
  brand: brandOf(site),
  tagline,
  note,
})

/** The picture of the site, for home and all pages without their own. */
export const siteDrawing = (site: Site): SiteDrawing =>
  inOurColours(site, site.tagline, `Free for ${DISPLAY_DAYS} days. Your AI agent posts it; you approve.`)

const siteSharePicture = (site: Site): SharePicture => ({
  path: sharedPath('site', siteDrawing(site)),
  alt: `${site.name}: ${site.tagline}`,
})

/** The words of a search that found something. */
export const searchDrawing = (words: string, site: Site): SiteDrawing =>
  inOurColours(site, words, 'Search results. Money doesn’t change this order.')

/** Its address has the words, which the service draws only if a listing has them all. */
export const searchSharePicture = (words: string, site: Site): SharePicture => ({
  path: sharedPath('search', searchDrawing(words, site), `q=${encodeURIComponent(words)}`),
  alt: `${site.name}: search for ${words}`,
})

/** The draw of a UTC day, which may have had fewer than ten listings. */
export const drawDrawing = (day: string, site: Site): SiteDrawing =>
  inOurColours(site, 'Drawn by lot', `On ${dayText(Date.parse(day))}. Every listing had the same chance.`)

export const picksDrawing = (site: Site): SiteDrawing =>
  inOurColours(site, 'Picked by the operator', 'Chosen by a person, and not paid.')

/** The share picture of a page whose drawing has only our own words. */
export const pictureOf = (name: string, drawing: SiteDrawing): SharePicture => ({
  path: sharedPath(name, drawing),
  alt: `${drawing.brand.name}: ${drawing.tagline}. ${drawing.note}`,
})

/** The name of a category, in its colours. */
export function categoryDrawing(category: string, site: Site): SiteDrawing {
  const { paper, ink } = stockOf(category)
  const note = 'Listings, newest first. Money doesn’t change this order.'
  return { ...inOurColours(site, category, note), brand: { name: site.name, paper, ink } }
}

interface SharingProps {
  links: Links
  title: string
  description: string
  /** Address of the page. */
  url: string
  /** Instead of the picture of the site. */
  picture?: SharePicture | undefined
}

/** Open Graph, and the cards of X: how other services show a page. */
export function SharingTags({ links, title, description, url, ...shared }: SharingProps) {
  const { site } = links
  const { path, alt } = shared.picture ?? siteSharePicture(site)
  const image = links.base + path
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.name} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={image} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(SHARE_WIDTH)} />
      <meta property="og:image:height" content={String(SHARE_HEIGHT)} />
      <meta property="og:image:alt" content={alt} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:title" content={title} />
      <meta name="twitter:description" content={description} />
      <meta name="twitter:image" content={image} />
      <meta name="twitter:image:alt" content={alt} />
    </>
  )
}
