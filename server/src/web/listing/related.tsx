import type { Neighbours } from '../../domain/listings/discovery.ts'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import { Wall } from '../ui/bill.tsx'
import { categoryPath, knownLanguage } from '../ui/format.ts'
import { RecentDay } from '../ui/time.tsx'

/** How many related listings to show. As many are read on either side: near the end of a category, one side has fewer. */
export const RELATED_COUNT = 4

interface RelatedProps {
  category: string
  /** Listings with words in common, the closest first. Left out for a hidden listing, because they would reveal its words. */
  related?: readonly DatedRow[]
  neighbours: Neighbours
  /** The current UTC day, as YYYY-MM-DD: a page is rendered again only when something on it changes. */
  today: string
}

/** Listings of the same category, each once: similar ones, then close ones, and links to the next older and newer one. */
export function Related({ category, related = [], neighbours: { newer, older }, today }: RelatedProps) {
  const [next, previous] = [newer[0], older[0]]
  const nearest = [...older.slice(0, RELATED_COUNT / 2), ...newer, ...older.slice(RELATED_COUNT / 2)]
  const others = nearest.filter(each => related.every(({ id }) => id !== each.id))
  const isBeside = ({ id }: DatedRow) => id === next?.id || id === previous?.id
  const shown = [...related, ...others].filter(each => !isBeside(each)).slice(0, RELATED_COUNT)
  if (shown.length === 0 && !next && !previous) return null
  return (
    <section class="sec" aria-labelledby="related">
      <div class="sec-head">
        <h2 id="related">Also in {category}</h2>
        <p>
          <a href={categoryPath(category)}>See all</a>
        </p>
      </div>
      {shown.length > 0 && <Wall listings={shown} now={Date.parse(today)} When={RecentDay} class="tones" />}
      <nav class="next-to" aria-label={`Listings of ${category}`}>
        <Step of={previous} name="Older" />
        <Step of={next} name="Newer" />
      </nav>
    </section>
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
