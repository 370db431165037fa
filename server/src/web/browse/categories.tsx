import { CATEGORIES, type Category } from '@placard/contract'
import { type CategoryCounts, COUNTED_MAX } from '../../domain/listings/category-counts.ts'
import { STOCKS } from '../../domain/pictures/posters/stock.ts'
import { Section } from '../ui/elements.tsx'
import { categoryPath } from '../ui/format.ts'

/** Links to all categories, by group, with the number of listings. */
export function Categories({ counts }: { counts?: CategoryCounts }) {
  return (
    <Section id="categories" title={<>{CATEGORIES.length} categories</>}>
      <div class="index">
        {STOCKS.map(({ id, name, categories }) => (
          <section key={id} aria-labelledby={`group-${id}`}>
            <h3 class={`s-${id}`} id={`group-${id}`}>
              {name}
            </h3>
            <CategoryLinks categories={categories} counts={counts} />
          </section>
        ))}
      </div>
    </Section>
  )
}

interface LinksProps {
  categories: readonly Category[]
  counts: CategoryCounts | undefined
}

function CategoryLinks({ categories, counts }: LinksProps) {
  return (
    <ul>
      {categories.map(category => (
        <li key={category}>
          <a href={categoryPath(category)}>
            {category}{' '}
            {counts && (
              <small class="num">
                {shortCount(counts[category])}
                <span class="unseen"> {counts[category] === 1 ? 'listing' : 'listings'}</span>
              </small>
            )}
          </a>
        </li>
      ))}
    </ul>
  )
}

const shortCount = (count: number): string => `${count.toLocaleString('en-US')}${count === COUNTED_MAX ? '+' : ''}`

export const countText = (count: number): string =>
  count === COUNTED_MAX
    ? `More than ${(COUNTED_MAX - 1).toLocaleString('en-US')} listings`
    : `${shortCount(count)} ${count === 1 ? 'listing' : 'listings'}`
