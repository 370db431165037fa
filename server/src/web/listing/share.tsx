import { BOARDS } from '@placard/contract'
import { countPlaces, readStandings, type Standings } from '../../domain/boards/standings.ts'
import type { Product } from '../../domain/listings/listing.ts'
import {
  brandOf,
  drawingVersion,
  type ListingDrawing,
  type Placed,
  SHARE_HEIGHT,
  SHARE_WIDTH,
  sharePicturePath,
} from '../../domain/pictures/drawing.ts'
import { shortName } from '../../domain/pictures/posters/name.ts'
import { paidWords, type Site } from '../../platform/config/site.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { ButtonLink } from '../ui/elements.tsx'
import { clip } from '../ui/format.ts'
import type { SharePicture } from '../ui/share-picture.tsx'
import { BADGE_HEIGHT, BADGE_STYLES, ON } from './badge.ts'

interface ShareProps {
  product: Shared & Pick<Product, 'slug'>
  places: CurrentPlaces
  links: Links
  /** Whether the picture is shown at once. Otherwise it is drawn and sent only when a visitor opens it. */
  showsPicture?: boolean
}

/** The options of a badge. The default is the light one with the all-time rank. */
interface BadgeChoice {
  style?: string
  board?: string
}

/** What to show elsewhere: a sentence with the address, the share picture and badges. Needs `copy.js` for its buttons. */
export function Share({ product, places, links, showsPicture = false }: ShareProps) {
  const { slug, expiresAt } = product
  const address = links.product(slug)
  const { path, alt } = listingSharePicture(product, places, links.site)
  const picture = <img src={path} width={SHARE_WIDTH} height={SHARE_HEIGHT} alt={alt} loading="lazy" />
  const others: [name: string, choice: BadgeChoice][] = BADGE_STYLES.filter(style => style !== 'light').map(style => [
    `${style[0]?.toUpperCase()}${style.slice(1)} badge`,
    { style },
  ])
  // Without verified payments there is no rank to show.
  if (expiresAt === null) others.push(['Badge with today’s rank', { board: 'today' }])
  return (
    <div class={showsPicture ? 'win pictured' : 'win'}>
      {showsPicture && <figure>{picture}</figure>}
      <div>
        <div class="bar">
          <label for="share-words">What to say</label>
          <button class="btn low" type="button" data-copy="share-words" hidden>
            Copy
          </button>
        </div>
        <textarea id="share-words" rows={4} dir="auto" readOnly>
          {`${sentenceAbout(product, places, links)} ${address}`}
        </textarea>
        <p class="acts">
          <button class="btn ink" type="button" data-share="share-words" data-address={address} hidden>
            Share
          </button>
          <ButtonLink href={path} download={`${slug}.png`}>
            Save the picture
          </ButtonLink>
        </p>
        {!showsPicture && (
          <details>
            <summary>See the picture</summary>
            {picture}
          </details>
        )}
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
      </div>
    </div>
  )
}

/** In characters. A longer name would leave no room for the rest of the sentence in a short message. */
const NAME_MAX = 60

/** One sentence about a listing that is true on any page: its better place among how many, and that it is paid. */
function sentenceAbout(product: Shared, { standings, today, among }: CurrentPlaces, links: Links): string {
  const { site } = links
  const name = clip(shortName(product.title) || product.hostname, NAME_MAX)
  const place = bestPlace(standings, today)
  if (!place) return `${name} is on ${site.name}, a public notice board.`
  const rivals = among > 1 ? `among ${among.toLocaleString('en-US')}` : 'the only one so far'
  return `${name} is No. ${place.rank.toLocaleString('en-US')} ${ON[place.board]} on ${site.name}, ${rivals}. ${paidWords(site).sentence}.`
}

interface CopiedBadgeProps extends Pick<ShareProps, 'links'> {
  product: Pick<Product, 'slug' | 'title'>
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

/** A listing's places at a moment. */
export interface CurrentPlaces {
  standings: Standings
  /** The present UTC day, as YYYY-MM-DD. */
  today: string
  /** How many places the board of its better place has; 0 if it has none. */
  among: number
}

/** What a share picture shows of them. */
type Drawn = Pick<CurrentPlaces, 'standings' | 'today'>

/** Reads how many places the board of a listing's better place has. */
export async function readCurrentPlaces(store: Store, standings: Standings, now: number): Promise<CurrentPlaces> {
  const today = utcDay(now)
  const place = bestPlace(standings, today)
  // The rank was read a moment earlier, so the board may have become shorter since.
  const among = place ? Math.max(place.rank, await countPlaces(store, place.board, now)) : 0
  return { standings, today, among }
}

type Shared = Pick<Product, 'title' | 'hostname' | 'category' | 'language' | 'expiresAt' | 'pictureVersion'>

/** What the share picture of a listing is drawn from: another rank is another picture. */
export const shareDrawing = (product: Shared, { standings, today }: Drawn, site: Site): ListingDrawing => ({
  kind: 'listing',
  brand: brandOf(site),
  title: product.title,
  hostname: product.hostname,
  category: product.category,
  language: product.language,
  paid: product.expiresAt === null ? paidWords(site).label : null,
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
  return shareDrawing(product, { standings, today: utcDay(now) }, site)
}

/** The address of its share picture, which changes with the picture, and its alternative text. */
export function listingSharePicture(product: Shared & Pick<Product, 'slug'>, places: Drawn, site: Site): SharePicture {
  const drawing = shareDrawing(product, places, site)
  const { place } = drawing
  const rank = place && `, No. ${place.rank.toLocaleString('en-US')} ${ON[place.board]}, ${paidWords(site).place}`
  return {
    path: sharePicturePath(product.slug, drawingVersion(drawing)),
    alt: `${product.title}, on ${site.name}${rank ?? ''}`,
  }
}

/** The better of its places. If they are equal, today's, which ends sooner. */
function bestPlace(standings: Standings, today: string): Placed | null {
  const places = BOARDS.flatMap(board => {
    const rank = standings[board]?.rank
    return rank === undefined ? [] : [{ board, rank, day: board === 'today' ? today : null }]
  })
  return places.sort((a, b) => a.rank - b.rank || (a.board === 'today' ? -1 : 1))[0] ?? null
}
