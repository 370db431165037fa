import { CATEGORIES } from '@placard/contract'
import type { Listing } from '../listings/listing.ts'
import { knownLanguage } from './listed-text.ts'
import { Day } from './time.tsx'

const PIN_COLOURS = 6

/** Each category has its pin colour. It only decorates: the category is always named beside it. */
export function pinOf(category: string): string {
  const place = (CATEGORIES as readonly string[]).indexOf(category)
  return `pin-${Math.max(0, place) % PIN_COLOURS}`
}

/** One listing on the board. */
export function Card({ listing }: { listing: Listing }) {
  const lang = knownLanguage(listing.language)
  return (
    <li class={`card ${pinOf(listing.category)}`}>
      <h3 dir="auto" lang={lang}>
        <a href={`/product/${listing.slug}`}>{listing.title}</a>
      </h3>
      <p class="host">{listing.hostname}</p>
      {listing.description && (
        <p class="words" dir="auto" lang={lang}>
          {listing.description}
        </p>
      )}
      <p class="facts">
        <span>{listing.category}</span> <Day at={listing.published_at} />
      </p>
    </li>
  )
}
