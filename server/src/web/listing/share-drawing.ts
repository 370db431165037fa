import { BOARDS } from '@placard/contract'
import type { Standings } from '../../boards/standings.ts'
import type { Product } from '../../listings/product.ts'
import { drawingVersion, houseOf, type ListingDrawing, type Placed } from '../../pictures/drawing.ts'
import { sharePicturePath } from '../../pictures/path.ts'
import type { Site } from '../../site/site.ts'
import type { SharePicture } from '../site/share-picture.ts'

interface Told {
  standings: Standings
  /** The present UTC day, as YYYY-MM-DD. */
  today: string
  site: Site
}

/** What the share picture of a listing is drawn from: another rank is another picture. */
export const shareDrawing = (product: Product, { standings, today, site }: Told): ListingDrawing => ({
  kind: 'listing',
  house: houseOf(site),
  title: product.title,
  hostname: product.hostname,
  category: product.category,
  language: product.language,
  isPaidPlace: product.expiresAt === null,
  place: bestPlace(standings, today),
  version: product.pictureVersion,
})

/** Its address, which changes with it, and what there is to see. */
export function listingSharePicture(product: Product, told: Told): SharePicture {
  const drawing = shareDrawing(product, told)
  const { place } = drawing
  const rank = place && `, No. ${place.rank.toLocaleString('en-US')} ${ON[place.board]}, a paid place`
  return {
    path: sharePicturePath(product.slug, drawingVersion(drawing)),
    alt: `${product.title}, on ${told.site.name}${rank ?? ''}`,
  }
}

const ON = { all: 'of all time', today: 'today' }

/** The better of its places; of equal ones, today's, which lasts for less long. */
function bestPlace(standings: Standings, today: string): Placed | null {
  const places = BOARDS.flatMap(board => {
    const rank = standings[board]?.rank
    return rank === undefined ? [] : [{ board, rank, day: board === 'today' ? today : null }]
  })
  return places.sort((a, b) => a.rank - b.rank || (a.board === 'today' ? -1 : 1))[0] ?? null
}
