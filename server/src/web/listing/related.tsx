import type { Neighbours } from '../../domain/listings/discovery.ts'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import { Section } from '../ui/elements.tsx'
import { categoryPath, knownLanguage } from '../ui/format.ts'
import { Wall } from '../ui/listing-poster.tsx'
import { RecentDay } from '../ui/time.tsx'

const RELATED_COUNT = 4

/** How many to read on either side: after those that are shown above, there is still one to go on to. */
export const NEIGHBOURS_READ = RELATED_COUNT + 1

interface RelatedProps {
  category: string
  /** Listings with words in common, the closest first. Left out for a hidden listing, because they would reveal its words. */
  related?: readonly DatedRow[]
  neighbours: Neighbours
  /** The current UTC day, as YYYY-MM-DD: a page is rendered again only when something on it changes. */
  today: string
}

/**
 * Listings with words in common, filled up with the nearest of the same category, then links to the next older and
 * newer one of the category. Each is there once.
 */
export function Related({ category, related = [], neighbours, today }: RelatedProps) {
  const isOther = ({ id }: DatedRow) => related.every(each => id !== each.id)
  const [older, newer] = [neighbours.older.filter(isOther), neighbours.newer.filter(isOther)]
  const [previous, next] = [older.shift(), newer.shift()]
  const half = RELATED_COUNT / 2
  const nearest = [...older.slice(0, half), ...newer, ...older.slice(half)]
  const shown = [...related, ...nearest].slice(0, RELATED_COUNT)
  if (shown.length === 0 && !next && !previous) return null
  const isAlike = related.length > 0
  return (
    <Section
      id="related"
      title={isAlike ? 'More like this' : `Also in ${category}`}
      note={
        <p>
          <a href={categoryPath(category)}>{isAlike ? `All of ${category}` : 'See all'}</a>
        </p>
      }
    >
      {shown.length > 0 && (
        <Wall
          listings={shown}
          now={Date.parse(today)}
          When={RecentDay}
          {...(isAlike ? { saysCategory: true } : { class: 'tones' })}
        />
      )}
      {(previous ?? next) && (
        <nav class="next-to" aria-label={`Listings of ${category}`}>
          <Step of={previous} name={`Older in ${category}`} />
          <Step of={next} name={`Newer in ${category}`} />
        </nav>
      )}
    </Section>
  )
}

function Step({ of: listing, name }: { of: DatedRow | undefined; name: string }) {
  if (!listing) return null
  return (
    <p>
      <span class="small soft">{name}</span>
      <a href={`/product/${listing.slug}`} dir="auto" lang={knownLanguage(listing.language)}>
        {listing.title}
      </a>
    </p>
  )
}
