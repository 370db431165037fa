import type { Category } from '@placard/contract'
import { categorySlug } from '../../edge/tags.ts'
import { LIST_PATH, type Links } from '../../http/links.ts'
import type { ShownPage } from '../../listings/shown.ts'
import { categoryDrawing, sharedPath } from '../site/share-picture.ts'
import { categoryPath } from '../ui/category-path.ts'
import { renderListingPage } from '../ui/listing-page.tsx'
import { CategoryHead } from './category-head.tsx'

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
    description: 'Every listing on the board, newest first.',
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
    head: <CategoryHead category={category} count={count} />,
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
    <h2>A blank wall</h2>
    <p>Nothing is listed yet. The first listing hangs here.</p>
    <p class="acts">
      <a class="btn go" href={LIST_PATH}>
        List your site
      </a>
    </p>
  </>
)
