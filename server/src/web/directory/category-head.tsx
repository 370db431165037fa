import type { Category } from '@placard/contract'
import { stockClass, stockOf } from '../../art/stock.ts'
import { categoryBoardPath, categoryPath } from '../ui/category-path.ts'
import { countText } from './categories.tsx'

/** Longer names are set smaller: they stand in one line or two. */
const LONG_NAME = 10

/** The head of a category: its name on its stock, and its neighbours. */
export function CategoryHead({ category, count }: { category: Category; count: number }) {
  const { name, categories } = stockOf(category)
  return (
    <div class={`cat ${stockClass(category)}`}>
      <div class="wrap">
        <h1 class={category.length > LONG_NAME ? 'long' : undefined}>{category}</h1>
        <div>
          <p>
            {countText(count)} in {category}, newest first. Money doesn’t change this order.
          </p>
          <a class="btn low" href={categoryBoardPath(category)}>
            Paid places in {category}
          </a>
        </div>
        <nav class="sib" aria-label={name}>
          <span>{name}:</span>
          {categories.map(each => (
            <a key={each} href={categoryPath(each)} aria-current={each === category ? 'page' : undefined}>
              {each}
            </a>
          ))}
          <a href="/#categories">All categories</a>
        </nav>
      </div>
    </div>
  )
}
