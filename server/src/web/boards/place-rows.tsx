import type { ComponentChildren } from 'preact'
import { type ListedPlace, RANKED_MAX } from '../../boards/listed-places.ts'
import { picturePath } from '../../pictures/picture-path.ts'
import { knownLanguage } from '../ui/listed-text.ts'
import { dollars } from '../ui/money.ts'

interface Rows {
  places: readonly ListedPlace[]
  /** What a total is, such as `paid that day`. */
  paid: string
  /** A place is not to be had any more. */
  isShut?: boolean
  /** What else there is to say of a place. */
  noteOf?: (place: ListedPlace) => ComponentChildren
}

/** Places in their order, each with who has it and what it paid. */
export function PlaceRows({ places, paid, isShut = false, noteOf }: Rows) {
  return (
    <ol class={isShut ? 'rows shut' : 'rows'} start={places[0]?.rank}>
      {places.map(place => (
        <Row key={place.slug} place={place} paid={paid} note={noteOf?.(place)} />
      ))}
    </ol>
  )
}

function Row({ place, paid, note }: { place: ListedPlace; paid: string; note: ComponentChildren }) {
  const { rank, slug, title, description, hostname, totalCents } = place
  const lang = knownLanguage(place.language)
  return (
    <li>
      <span class="rk">
        <span class="sr">No. </span>
        {rank ?? `${RANKED_MAX.toLocaleString('en-US')}+`}
      </span>
      <span class="th">
        <img
          class="thumb"
          src={picturePath(place, place.pictureVersion)}
          width="48"
          height="48"
          loading="lazy"
          alt=""
        />
      </span>
      <div class="bd">
        <a class="ti" href={`/product/${slug}`} dir="auto" lang={lang}>
          <span class="clamp2">{title}</span>
        </a>
        {description && (
          <p class="de clamp1" dir="auto" lang={lang}>
            {description}
          </p>
        )}
        <p class="host">
          <bdi dir="ltr">{hostname}</bdi>
        </p>
        {note && <p class="later">{note}</p>}
      </div>
      <span class="sum">
        {dollars(totalCents)}
        <small>{paid}</small>
      </span>
    </li>
  )
}
