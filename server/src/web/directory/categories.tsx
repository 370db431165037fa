import { CATEGORIES, type Category } from '@placard/contract'
import { STOCKS } from '../../art/stock.ts'
import { categoryPath } from '../ui/category-path.ts'

/** The ways to all categories, by group. */
export function Categories() {
  return (
    <section class="sec" aria-labelledby="categories">
      <div class="sec-head">
        <h2 id="categories">{CATEGORIES.length} categories</h2>
      </div>
      <div class="index">
        {STOCKS.map(({ id, name, categories }) => (
          <section key={id} aria-labelledby={`group-${id}`}>
            <h3 class={`s-${id}`} id={`group-${id}`}>
              {name}
            </h3>
            <CategoryLinks categories={categories} />
          </section>
        ))}
      </div>
    </section>
  )
}

function CategoryLinks({ categories }: { categories: readonly Category[] }) {
  return (
    <ul>
      {categories.map(category => (
        <li key={category}>
          <a href={categoryPath(category)}>{category}</a>
        </li>
      ))}
    </ul>
  )
}
