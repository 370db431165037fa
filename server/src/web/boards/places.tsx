import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { BoardEntry } from '../../domain/boards/board.ts'
import { type ListedPlace, RANKED_MAX } from '../../domain/boards/listed-places.ts'
import type { Movement } from '../../domain/boards/movement.ts'
import { bidAbove } from '../../domain/checkout/price.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { placePath } from '../../platform/http/links.ts'
import { counted } from '../../platform/lib/text.ts'
import { assetPath } from '../ui/assets.ts'
import { knownLanguage, shortDollars } from '../ui/format.ts'
import { PosterPicture, Thumb } from '../ui/poster.tsx'

/** How many places of a board are posters. */
const POSTERS = 3

interface InOrder<Place extends ListedPlace> {
  places: readonly Place[]
  /** The meaning of a total, such as `paid that day`. */
  paid: string
  /** Further details of a place. @param index its index in `places` */
  detailsOf?: (place: Place, index: number) => PlaceDetails
}

interface PlaceDetails {
  note?: ComponentChildren
  reached?: ComponentChildren
  movement?: ComponentChildren
  /** The link to buy this place. Undefined on boards where no place can be bought. */
  take?: ComponentChildren
  /** By this, the script sees that the place changed. */
  id?: string
}

/** Places in their order, the first of a board as posters. */
export function PlacesInOrder<Place extends ListedPlace>({ places, paid, detailsOf }: InOrder<Place>) {
  const all = places.map((place, index) => ({ place, paid, key: place.slug, ...detailsOf?.(place, index) }))
  const posters = all.filter(({ place: { rank } }) => rank !== undefined && rank <= POSTERS)
  const [first, ...others] = all.slice(posters.length)
  return (
    <>
      {places.length > 0 && <script type="module" src={assetPath('keep.js')} />}
      {posters.length > 0 && (
        <ol class="podium">
          {posters.map(({ key, ...place }) => (
            <Poster key={key} {...place} />
          ))}
        </ol>
      )}
      {first && (
        <ol class={first.take === undefined ? 'rows still' : 'rows'} start={first.place.rank} data-paid={paid}>
          {[first, ...others].map(({ key, ...place }) => (
            <PlaceRow key={key} {...place} />
          ))}
        </ol>
      )}
      {places.some(({ rank }) => rank === undefined) && (
        <p class="soft small">Ranks are counted up to {RANKED_MAX.toLocaleString('en-US')}.</p>
      )}
    </>
  )
}

interface PlaceProps extends PlaceDetails {
  place: ListedPlace
  paid: string
}

/** Higher ranks are set smaller, to fit. */
const LARGE_RANK_MAX = 999

function PlaceRow({ place, paid, note, movement, take, id }: PlaceProps) {
  const { rank, slug, title, description, hostname, totalCents } = place
  const lang = knownLanguage(place.language)
  return (
    <li data-place={id}>
      <span class={rank === undefined || rank > LARGE_RANK_MAX ? 'rk far' : 'rk'}>
        <span class="unseen">No. </span>
        {rank === undefined ? `${RANKED_MAX.toLocaleString('en-US')}+` : rank.toLocaleString('en-US')}
      </span>
      {take !== undefined && (movement ?? <span class="move" />)}
      <span class="th">
        <Thumb listing={place} />
      </span>
      <div class="bd" data-keep={slug}>
        <a class="ti" href={`/product/${slug}`} dir="auto" lang={lang}>
          <span class="clamp2">{title}</span>
        </a>
        {description ? (
          <p class="de clamp1" dir="auto" lang={lang}>
            {description}
          </p>
        ) : (
          <p class="de">
            <bdi dir="ltr">{hostname}</bdi>
          </p>
        )}
        {note && <p class="later">{note}</p>}
      </div>
      <span class="sum">
        {shortDollars(totalCents)}
        <small>{paid}</small>
      </span>
      {take !== undefined && <span class="ac">{take}</span>}
    </li>
  )
}

/** Shorter titles are set larger. */
const LARGE_TITLE_MAX = 14

function Poster({ place, paid, reached, note, movement, take, id }: PlaceProps) {
  const { rank, slug, title, description, hostname, category, totalCents } = place
  const lang = knownLanguage(place.language)
  return (
    <li class={rank === 1 ? 'top one' : `top ${stockClass(category)}`} data-place={id}>
      <p class="rank">
        <b>
          <span class="unseen">No. </span>
          {rank}
        </b>
        <span>
          <strong>{shortDollars(totalCents)}</strong>
          {reached ? <>paid, reached {reached}</> : paid}
          {movement}
        </span>
      </p>
      <PosterPicture listing={place} />
      <div class="in" data-keep={slug}>
        <h2 class={title.length <= LARGE_TITLE_MAX ? 'big' : undefined} dir="auto" lang={lang}>
          <a class="clamp3" href={`/product/${slug}`}>
            {title}
          </a>
        </h2>
        <p class="host">
          <bdi dir="ltr">{hostname}</bdi>
        </p>
        {description && (
          <p class={rank === 1 ? 'clamp3' : 'clamp2'} dir="auto" lang={lang}>
            {description}
          </p>
        )}
        {note && <p class="later">{note}</p>}
        {take && <p class="take-line">{take}</p>}
      </div>
    </li>
  )
}

/** Returns what identifies a place to the script of the boards, which checks whether the board changed. */
export const placeOf = ({ slug, totalCents }: Pick<BoardEntry, 'slug' | 'totalCents'>) =>
  `/product/${slug} ${totalCents}`

/** How a place moved, as a sign and as text for screen readers. Nothing if the movement is unknown. */
export function MovementMark({ movement }: { movement: Movement | undefined }) {
  if (movement === undefined) return null
  const [kind, sign, text] = markOf(movement)
  return (
    <span class={`move ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{text}</span>
    </span>
  )
}

function markOf(movement: Movement): [kind: 'up' | 'down' | 'same' | 'new', sign: string, text: string] {
  if (movement === 'new') return ['new', 'new', 'new here']
  if (movement === 'entered') return ['up', '▲', 'up from below place 100']
  if (movement === 0) return ['same', '–', 'same place']
  const by = Math.abs(movement)
  const places = counted(by, 'place')
  return movement > 0 ? ['up', `▲ ${by}`, `up ${places}`] : ['down', `▼ ${by}`, `down ${places}`]
}

interface TakeProps {
  board: Board
  entry: Pick<BoardEntry, 'rank' | 'totalCents'>
  /** The total of the place above in cents, if there is one. */
  above?: number | undefined
  /** Added after the place if the page doesn't make clear which board it is on. */
  on?: string
}

/**
 * A link to a filled-in order for the place of a listing, with the price for a website that has no total yet. Shows
 * nothing if no allowed total is high enough. If the same price buys the place above, it says so instead.
 */
export function TakeLink({ board, entry, above, on }: TakeProps) {
  if (!canBeTaken(entry)) return null
  const { rank, totalCents } = entry
  const targetBid = leastAbove(totalCents)
  if (above !== undefined && leastAbove(above) === targetBid) {
    const other = `No. ${(rank - 1).toLocaleString('en-US')}`
    return <span class="soft">{above === totalCents ? `tie with ${other}` : `same price as ${other}`}</span>
  }
  return (
    <a class="take" href={placePath({ board, targetBid })} rel="nofollow">
      Take No. {rank.toLocaleString('en-US')}
      {on && ` ${on}`} for ${targetBid.toLocaleString('en-US')}
    </a>
  )
}

/** Returns whether an allowed total is higher. */
export const canBeTaken = ({ totalCents }: { totalCents: number }): boolean =>
  leastAbove(totalCents) <= MAXIMUM_TARGET_USD

/** Returns the lowest bid that is allowed and ranks above a total. */
const leastAbove = (totalCents: number): number => Math.max(MINIMUM_TARGET_USD, bidAbove(totalCents))

/** Returns the address of an order for the first place of an empty board. */
export const firstPlacePath = (board: Board): string => placePath({ board, targetBid: MINIMUM_TARGET_USD })

/** Says that a board is empty. Payments may have been refunded, or their listings hidden. */
export const NO_PLACE = 'No listing has a place here.'
