import type { Found } from '../../listings/search.ts'
import type { Stretch } from '../../search/marked.ts'
import { knownLanguage } from '../ui/listed-text.ts'
import { ShortDay } from '../ui/time.tsx'

/** What was found, with the words it was found by marked. */
export function FoundRows({ listings }: { listings: readonly Found[] }) {
  return (
    <ol class="found">
      {listings.map(listing => (
        <FoundRow key={listing.slug} listing={listing} />
      ))}
    </ol>
  )
}

function FoundRow({ listing }: { listing: Found }) {
  const { slug, titleParts, descriptionParts, hostname, category, publishedAt } = listing
  const lang = knownLanguage(listing.language)
  return (
    <li>
      <h3 dir="auto" lang={lang}>
        <a href={`/product/${slug}`}>
          <Marked parts={titleParts} />
        </a>
      </h3>
      <p class="host">
        <bdi dir="ltr">{hostname}</bdi>
      </p>
      {descriptionParts.length > 0 && (
        <p class="words" dir="auto" lang={lang}>
          <Marked parts={descriptionParts} />
        </p>
      )}
      <p class="facts">
        <span>{category}</span> <ShortDay at={publishedAt} />
      </p>
    </li>
  )
}

/** Each stretch is text, whatever a stranger put there: only the marks are ours. */
const Marked = ({ parts }: { parts: readonly Stretch[] }) => (
  <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>
)
