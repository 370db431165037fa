import type { Found } from '../../listings/search.ts'
import type { Stretch } from '../../search/marked.ts'
import { Thumb } from '../ui/art.tsx'
import { knownLanguage } from '../ui/listed-text.ts'

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
  const { slug, titleParts, descriptionParts, hostname, category } = listing
  const lang = knownLanguage(listing.language)
  return (
    <li>
      <Thumb listing={listing} />
      <div>
        <h3 dir="auto" lang={lang}>
          <a href={`/product/${slug}`}>
            <Marked parts={titleParts} />
          </a>
        </h3>
        <p class="host">
          <bdi dir="ltr">{hostname}</bdi>
        </p>
        {descriptionParts.length > 0 && (
          <p class="clamp2" dir="auto" lang={lang}>
            <Marked parts={descriptionParts} />
          </p>
        )}
        <p class="host">{category}</p>
      </div>
    </li>
  )
}

/** Each stretch is text, whatever a stranger put there: only the marks are ours. */
const Marked = ({ parts }: { parts: readonly Stretch[] }) => (
  <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>
)
