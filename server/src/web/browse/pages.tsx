import type { Category } from '@placard/contract'
import type { ShownPage } from '../../domain/listings/listed-row.ts'
import { stockClass, stockOf } from '../../domain/pictures/posters/stock.ts'
import { categorySlug } from '../../platform/cdn/tags.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { categoryBoardPath, categoryPath } from '../ui/format.ts'
import { categoryDrawing, sharedPath } from '../ui/share-picture.tsx'
import { countText } from './categories.tsx'
import { renderListingPage } from './listing-page.tsx'

interface Paged {
  links: Links
  page: ShownPage
  /** Whether this is not the first page. */
  isFurther: boolean
  /** Unix milliseconds. */
  now: number
}

export const renderNewest = ({ links, ...paged }: Paged): string =>
  renderListingPage({
    ...paged,
    links,
    title: 'Newest listings',
    description: 'Every listing, newest first.',
    path: '/newest',
    menuPath: '/newest',
    canonical: `${links.base}/newest`,
    head: (
      <div class="wrap page-head">
        <h1>Newest</h1>
        <p class="lead">
          All listings, newest first. Money doesn’t change this order. <a href="/feed.atom">Feed</a>
        </p>
      </div>
    ),
    empty: <NothingYet />,
  })

/** @param count the listings in the category, up to `COUNTED_MAX` */
export const renderCategory = ({
  category,
  count,
  links,
  ...paged
}: Paged & { category: Category; count: number }): string =>
  renderListingPage({
    ...paged,
    links,
    title: category,
    description: `Listings in ${category}, newest first.`,
    path: categoryPath(category),
    menuPath: categoryPath(category),
    canonical: links.base + categoryPath(category),
    sharePicture: {
      path: sharedPath(`category-${categorySlug(category)}`, categoryDrawing(category, links.site)),
      alt: `${category} on ${links.site.name}`,
    },
    head: <CategoryHead category={category} count={count} isForSale={links.site.sellsPlaces} />,
    isOfCategory: true,
    empty: (
      <>
        <h2>Room for you</h2>
        <p>
          Nothing is listed in this category now. See the <a href="/newest">newest listings</a>, or{' '}
          <a href="/#categories">other categories</a>.
        </p>
        <p class="acts">
          <a class="btn go" href={LIST_PATH}>
            List your site
          </a>
        </p>
      </>
    ),
  })

/** Shown when nothing is listed at all. */
export const NothingYet = () => (
  <>
    <h2>No listings yet</h2>
    <p>Yours can be the first.</p>
    <p class="acts">
      <a class="btn go" href={LIST_PATH}>
        List your site
      </a>
    </p>
  </>
)

/** Longer names are set smaller, to fit into two lines. */
const LONG_NAME = 10

interface CategoryHeadProps {
  category: Category
  count: number
  /** Whether to link to its board: most are empty if the site sells no places. */
  isForSale: boolean
}

/** The head of a category: its name in its colours, and links to its group. */
function CategoryHead({ category, count, isForSale }: CategoryHeadProps) {
  const { name, categories } = stockOf(category)
  return (
    <div class={`cat ${stockClass(category)}`}>
      <div class="wrap">
        <h1 class={category.length > LONG_NAME ? 'long' : undefined}>{category}</h1>
        <div>
          <p>
            {countText(count)} in {category}, newest first. Money doesn’t change this order.
          </p>
          {isForSale && (
            <a class="btn low" href={categoryBoardPath(category)}>
              Paid places in {category}
            </a>
          )}
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
