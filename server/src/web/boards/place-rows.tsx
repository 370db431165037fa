import type { ComponentChildren } from 'preact'
import { type ListedPlace, RANKED_MAX } from '../../boards/listed-places.ts'
import { Thumb } from '../ui/art.tsx'
import { knownLanguage } from '../ui/listed-text.ts'
import { shortDollars } from '../ui/money.ts'

interface Rows<Place extends ListedPlace> {
  places: readonly Place[]
  /** What a total is, such as `paid that day`. */
  paid: string
  /** What else there is to say of a place. */
  noteOf?: (place: Place) => ComponentChildren
}

/** Places in their order, each with who has it and what it paid. */
export function PlaceRows<Place extends ListedPlace>({ places, paid, noteOf }: Rows<Place>) {
  return (
    <ol class="rows brief" start={places[0]?.rank}>
      {places.map(place => (
        <PlaceRow key={place.slug} place={place} paid={paid} note={noteOf?.(place)} />
      ))}
    </ol>
  )
}

interface RowProps {
  place: Omit<ListedPlace, 'reachedAt' | 'destinationKey'>
  paid: string
  note?: ComponentChildren
  /** How the place moved. */
  movement?: ComponentChildren
  /** The way to this place. */
  take?: ComponentChildren
  /** What tells the place from another, where a script looks whether it changed. */
  id?: string
}

/** Higher ranks than this have no room to be set large. */
const FAR = 999

/** One place as a row. */
export function PlaceRow({ place, paid, note, movement, take, id }: RowProps) {
  const { rank, slug, title, description, hostname, totalCents } = place
  const lang = knownLanguage(place.language)
  return (
    <li data-place={id}>
      <span class={rank === undefined || rank > FAR ? 'rk far' : 'rk'}>
        <span class="unseen">No. </span>
        {rank === undefined ? `${RANKED_MAX.toLocaleString('en-US')}+` : rank.toLocaleString('en-US')}
      </span>
      {movement ?? <span class="move" />}
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
      <span class="ac">{take}</span>
    </li>
  )
}
