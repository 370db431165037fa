import { BOARDS } from '@placard/contract'
import { readStandings, type Standings } from '../../domain/boards/standings.ts'
import type { Product } from '../../domain/listings/listing.ts'
import {
  drawingVersion,
  houseOf,
  type ListingDrawing,
  type Placed,
  sharePicturePath,
} from '../../domain/pictures/drawing.ts'
import type { Site } from '../../platform/config/site.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import type { SharePicture } from '../ui/share-picture.tsx'
import { BADGE_HEIGHT, BADGE_STYLES } from './badge.ts'

interface ShareProps {
  product: Pick<Product, 'slug' | 'title' | 'expiresAt'>
  links: Links
  /** The label of the address on other pages. */
  addressName?: string
}

/** The options of a badge. The default is the light one with the all-time rank. */
interface BadgeChoice {
  style?: string
  board?: string
}

/** What to copy to show a listing elsewhere: its address, and the codes of its badges. Needs `copy.js` for its buttons. */
export function Share({ product, links, addressName = 'Address of this page' }: ShareProps) {
  const { slug, expiresAt } = product
  const others: [name: string, choice: BadgeChoice][] = BADGE_STYLES.filter(style => style !== 'light').map(style => [
    `${style[0]?.toUpperCase()}${style.slice(1)} badge`,
    { style },
  ])
  // Without verified payments there is no rank to show.
  if (expiresAt === null) others.push(['Badge with today’s rank', { board: 'today' }])
  return (
    <>
      <Copied id="share-address" name={addressName} value={links.product(slug)} />
      <CopiedBadge id="share-badge" name="Badge for your website" choice={{}} product={product} links={links} />
      <details>
        <summary>Other badges</summary>
        {others.map(([name, choice], place) => (
          <CopiedBadge
            key={name}
            id={`share-badge-${place}`}
            name={name}
            choice={choice}
            product={product}
            links={links}
          />
        ))}
      </details>
    </>
  )
}

interface CopiedBadgeProps extends Omit<ShareProps, 'addressName'> {
  id: string
  name: string
  choice: BadgeChoice
}

function CopiedBadge({ id, name, choice, product, links }: CopiedBadgeProps) {
  const path = links.badge(product.slug, choice).slice(links.base.length)
  return (
    <>
      <Copied id={id} name={name} value={badgeCode(product, links, choice)} />
      <p class="badge">
        <img src={path} height={BADGE_HEIGHT} alt="" loading="lazy" />
      </p>
    </>
  )
}

/** A text to copy. Needs `copy.js` for its button. */
export function Copied({ id, name, value }: { id: string; name: string; value: string }) {
  return (
    <div>
      <label for={id}>{name}</label>
      <div class="ask">
        <input type="text" id={id} value={value} readOnly />
        <button class="btn" type="button" data-copy={id} hidden>
          Copy
        </button>
      </div>
    </div>
  )
}

/** HTML that shows a badge and leads to the listing. */
export function badgeCode(
  { slug, title }: Pick<Product, 'slug' | 'title'>,
  links: Links,
  choice: BadgeChoice = {},
): string {
  const alt = html(`${title}, on ${links.site.name}`)
  const image = `<img src="${html(links.badge(slug, choice))}" height="${BADGE_HEIGHT}" alt="${alt}">`
  return `<a href="${links.product(slug)}">${image}</a>`
}

const html = (text: string): string => text.replace(/[<>&"]/g, character => `&#${character.codePointAt(0)};`)

interface Told {
  standings: Standings
  /** The present UTC day, as YYYY-MM-DD. */
  today: string
  site: Site
}

type Shared = Pick<Product, 'title' | 'hostname' | 'category' | 'language' | 'expiresAt' | 'pictureVersion'>

/** What the share picture of a listing is drawn from: another rank is another picture. */
export const shareDrawing = (product: Shared, { standings, today, site }: Told): ListingDrawing => ({
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

/** Reads the current places of a listing, and returns its drawing. */
export async function readShareDrawing(
  store: Store,
  product: Product,
  site: Site,
  now: number,
): Promise<ListingDrawing> {
  // A listing with an end date has no verified payments.
  const isPaid = product.expiresAt === null
  const standings = isPaid ? await readStandings(store, product.destinationKey, now) : {}
  return shareDrawing(product, { standings, today: utcDay(now), site })
}

/** The address of its share picture, which changes with the picture, and its alternative text. */
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

/** The better of its places. If they are equal, today's, which ends sooner. */
function bestPlace(standings: Standings, today: string): Placed | null {
  const places = BOARDS.flatMap(board => {
    const rank = standings[board]?.rank
    return rank === undefined ? [] : [{ board, rank, day: board === 'today' ? today : null }]
  })
  return places.sort((a, b) => a.rank - b.rank || (a.board === 'today' ? -1 : 1))[0] ?? null
}
