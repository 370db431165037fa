import type { Shown } from '../../listings/shown.ts'
import { picturePath } from '../../pictures/path.ts'
import { pinOf } from '../../pictures/pin.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from '../../pictures/size.ts'
import { knownLanguage } from './listed-text.ts'
import { ShortDay } from './time.tsx'

type Carded = Pick<
  Shown,
  | 'slug'
  | 'title'
  | 'description'
  | 'hostname'
  | 'category'
  | 'language'
  | 'publishedAt'
  | 'expiresAt'
  | 'pictureVersion'
>

/** Listings as cards. */
export function Cards({ listings }: { listings: readonly Carded[] }) {
  return (
    <ul class="cards">
      {listings.map(listing => (
        <Card key={listing.slug} listing={listing} />
      ))}
    </ul>
  )
}

/** One listing. The picture needs no alt text: the words say everything. */
function Card({ listing }: { listing: Carded }) {
  const { slug, title, description, hostname, category, publishedAt, expiresAt, pictureVersion } = listing
  const lang = knownLanguage(listing.language)
  return (
    <li class={`card ${pinOf(category)}`}>
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
        <span>{category}</span> {expiresAt === null && <span>Paid place</span>} <ShortDay at={publishedAt} />
      </p>
    </li>
  )
}
