import { DISPLAY_DAYS } from '@placard/contract'
import { stockOf } from '../../art/stock.ts'
import { type Drawing, drawingVersion, houseOf, type SiteDrawing } from '../../pictures/drawing.ts'
import type { Site } from '../../site/site.ts'

/** What is shown where a page is shared. */
export interface SharePicture {
  /** With its version. */
  path: string
  /** What there is to see. */
  alt: string
}

/** Address of a share picture other than a listing's. */
export const sharedPath = (name: string, drawing: Drawing): string =>
  `/share/${name}.png?v=${drawingVersion(drawing)}`

/** The picture of the board itself, for home and all pages without one of their own. */
export const siteDrawing = (site: Site): SiteDrawing => ({
  kind: 'site',
  house: houseOf(site),
  tagline: site.tagline,
  note: `Free for ${DISPLAY_DAYS} days. Your AI agent lists yours; you approve it.`,
})

export const siteSharePicture = (site: Site): SharePicture => ({
  path: sharedPath('site', siteDrawing(site)),
  alt: `${site.name}: ${site.tagline}`,
})

/** The name of a category, on its stock. */
export function categoryDrawing(category: string, site: Site): SiteDrawing {
  const { paper, ink } = stockOf(category)
  return {
    kind: 'site',
    house: { name: site.name, paper, ink },
    tagline: category,
    note: 'Listings, newest first. Money doesn’t change this order.',
  }
}
