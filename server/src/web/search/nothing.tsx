import { type Category, DESTINATION_MAX_LENGTH, DISPLAY_DAYS } from '@placard/contract'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { LIST_PATH } from '../../platform/http/links.ts'
import { Categories, countText } from '../browse/categories.tsx'
import { Wall } from '../ui/bill.tsx'
import { Button, Section } from '../ui/elements.tsx'
import { categoryPath } from '../ui/format.ts'
import { ANYTHING, pathOf, type Wanted } from './filters.tsx'

/** What may help if nothing was found. */
export interface Fitting {
  /** The category that fits the words, and how many listings it has. */
  category?: { name: Category; count: number; newest: readonly DatedRow[] } | undefined
  now: number
}

interface NothingProps {
  wanted: Wanted
  fitting: Fitting
  nearest: readonly DatedRow[]
}

const NEAREST_SHOWN = 4

/** The answer if nothing was found: where to look, what comes close, and how to list the missing website. */
export function Nothing({ wanted, fitting: { category, now }, nearest }: NothingProps) {
  const isNarrowed =
    wanted.category !== undefined || wanted.language !== undefined || wanted.isVerified || wanted.hasPicture
  const near = [...new Map([...nearest, ...(category?.newest ?? [])].map(row => [row.id, row])).values()]
  return (
    <>
      <div class="nil">
        <h1>No matches</h1>
        <p class="lead">
          We searched titles, descriptions, host names and categories for “<bdi>{wanted.text}</bdi>”.
          {isNarrowed && (
            <>
              {' '}
              <a href={pathOf({ ...ANYTHING, text: wanted.text })}>Search all listings</a>, without filters.
            </>
          )}
        </p>
      </div>
      {category && (
        <section aria-label="A category that fits">
          <a class={`fits ${stockClass(category.name)}`} href={categoryPath(category.name)}>
            <span>A category that fits</span> <b>{category.name}</b> <span>{countText(category.count)}</span>
          </a>
        </section>
      )}
      {near.length > 0 && (
        <Section id="near" title="Nearest" note={<p>Close to your words, or in that category.</p>}>
          <Wall listings={near.slice(0, NEAREST_SHOWN)} now={now} saysCategory />
        </Section>
      )}
      <Section id="first" title="Be the first" note={<p>Free for {DISPLAY_DAYS} days.</p>}>
        <form class="ask" action={LIST_PATH}>
          <input
            type="text"
            name="address"
            inputmode="url"
            autocomplete="url"
            maxLength={DESTINATION_MAX_LENGTH}
            placeholder="https://"
            aria-label="The missing website’s address"
            required
          />
          {category && <input type="hidden" name="category" value={category.name} />}
          <Button>Make the prompt</Button>
        </form>
        <p class="soft">The prompt is for your AI agent, which lists the website when you say yes.</p>
      </Section>
      {!category && <Categories />}
    </>
  )
}
