import { CATEGORIES, type Category } from '@placard/contract'
import { pinOf } from '../../pictures/pin.ts'
import { categoryPath } from '../ui/category-path.ts'

/** Links to all categories. */
export function Categories() {
  return (
    <section aria-labelledby="categories">
      <h2 id="categories">Categories</h2>
      <CategoryLinks categories={CATEGORIES} />
    </section>
  )
}

export function CategoryLinks({ categories }: { categories: readonly Category[] }) {
  return (
    <ul class="categories">
      {categories.map(category => (
        <li key={category} class={pinOf(category)}>
          <a href={categoryPath(category)}>{category}</a>
        </li>
      ))}
    </ul>
  )
}
