import { CATEGORIES } from '@placard/contract'
import type { Shown } from '../listings/discovery.ts'
import { picturePath } from '../pictures/picture-path.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from '../pictures/picture-size.ts'
import { knownLanguage } from './listed-text.ts'
import { Day } from './time.tsx'

const PIN_COLOURS = 6

/** Each category has its pin colour. It only decorates: the category is always named beside it. */
export function pinOf(category: string): string {
  const place = (CATEGORIES as readonly string[]).indexOf(category)
  return `pin-${Math.max(0, place) % PIN_COLOURS}`
}

type Carded = Pick<
  Shown,
  'slug' | 'title' | 'description' | 'hostname' | 'category' | 'language' | 'publishedAt' | 'pictureVersion'
>

/** Listings as cards on the board. */
export function Cards({ listings }: { listings: readonly Carded[] }) {
  return (
    <ul class="cards">
      {listings.map(listing => (
        <Card key={listing.slug} listing={listing} />
      ))}
    </ul>
  )
}

/** One listing on the board. The picture says nothing that the words do not. */
function Card({ listing }: { listing: Carded }) {
  const { slug, title, description, hostname, category, publishedAt, pictureVersion } = listing
  const lang = knownLanguage(listing.language)
  return (
    <li class={`card ${pinOf(category)}${pictureVersion === null ? ' drawn' : ''}`}>
      <img
        src={picturePath(listing, pictureVersion)}
        width={PICTURE_WIDTH}
        height={PICTURE_HEIGHT}
        loading="lazy"
        alt=""
      />
      <h3 dir="auto" lang={lang}>
        <a href={`/product/${slug}`}>{title}</a>
      </h3>
      <p class="host">
        <bdi dir="ltr">{hostname}</bdi>
      </p>
      {description && (
        <p class="words" dir="auto" lang={lang}>
          {description}
        </p>
      )}
      <p class="facts">
        <span>{category}</span> <Day at={publishedAt} />
      </p>
    </li>
  )
}
