import type { ComponentChildren } from 'preact'
import { type ListedPlace, RANKED_MAX } from '../../domain/boards/listed-places.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { knownLanguage, shortDollars } from '../ui/format.ts'
import { PosterPicture, Thumb } from '../ui/poster.tsx'

interface InOrder<Place extends ListedPlace> {
  places: readonly Place[]
  /** What a total is, such as `paid that day`. */
  paid: string
  /** A further note about a place. */
  noteOf?: (place: Place) => ComponentChildren
}

/** Places in order, each with its listing and total. The first ones are posters. */
export function PlacesInOrder<Place extends ListedPlace>({ places, paid, noteOf }: InOrder<Place>) {
  const posters = places.filter(({ rank }) => rank !== undefined && rank <= POSTERS)
  const rows = places.slice(posters.length)
  return (
    <>
      {posters.length > 0 && (
        <ol class="podium">
          {posters.map(place => (
            <Poster key={place.slug} place={place} paid={paid} note={noteOf?.(place)} />
          ))}
        </ol>
      )}
      {rows.length > 0 && (
        <ol class="rows still" start={rows[0]?.rank} data-paid={paid}>
          {rows.map(place => (
            <PlaceRow key={place.slug} place={place} paid={paid} note={noteOf?.(place)} />
          ))}
        </ol>
      )}
    </>
  )
}

interface PlaceProps {
  place: Omit<ListedPlace, 'reachedAt' | 'destinationKey'>
  /** What its total is, such as `paid that day`. */
  paid: ComponentChildren
  note?: ComponentChildren
  /** How the place moved, on a board where places are taken. */
  movement?: ComponentChildren
  /** The link that buys this place. */
  take?: ComponentChildren
  /** Identifies the place for the script that checks whether it changed. */
  id?: string
}

/** Ranks above this have too many digits for large type. */
const FAR = 999

/** One place as a row. */
export function PlaceRow({ place, paid, note, movement, take, id }: PlaceProps) {
  const { rank, slug, title, description, hostname, totalCents } = place
  const lang = knownLanguage(place.language)
  return (
    <li data-place={id}>
      <span class={rank === undefined || rank > FAR ? 'rk far' : 'rk'}>
        <span class="unseen">No. </span>
        {rank === undefined ? `${RANKED_MAX.toLocaleString('en-US')}+` : rank.toLocaleString('en-US')}
      </span>
      {take !== undefined && (movement ?? <span class="move" />)}
      <span class="th">
        <Thumb listing={place} />
      </span>
      <div class="bd">
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

/** How many places are posters. */
export const POSTERS = 3

/** Shorter titles are set larger. */
const BIG_TITLE = 14

/** One of the first places, as a poster. */
export function Poster({ place, paid, note, movement, take, id }: PlaceProps) {
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
          {paid}
          {movement}
        </span>
      </p>
      <PosterPicture listing={place} />
      <div class="in">
        <h2 class={title.length <= BIG_TITLE ? 'big' : undefined} dir="auto" lang={lang}>
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
