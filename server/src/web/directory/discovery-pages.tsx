import type { Category } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import type { ShownPage } from '../../listings/shown.ts'
import { renderListingPage } from '../ui/listing-page.tsx'
import { categoryPath } from './category-path.ts'

interface Paged {
  links: Links
  page: ShownPage
  /** Whether something newer is left behind. */
  isFurther: boolean
}

export const renderNewest = ({ links, ...paged }: Paged): string =>
  renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: 'Newest listings',
    description: 'Every listing on the board, the newest first.',
    path: '/newest',
    menuPath: '/newest',
    canonical: `${links.base}/newest`,
    intro: (
      <p class="lead">
        Everything that is on the board, with or without a paid place. <a href="/feed.atom">Feed</a>
      </p>
    ),
    empty: <p>Nothing is pinned up yet.</p>,
  })

export const renderCategory = ({ category, links, ...paged }: Paged & { category: Category }): string =>
  renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: category,
    description: `Listings in ${category}, the newest first.`,
    path: categoryPath(category),
    canonical: links.base + categoryPath(category),
    intro: (
      <p class="lead">
        What is on the board in this category. <a href="/#categories">Other categories</a>
      </p>
    ),
    empty: (
      <p>
        Nothing is pinned up in this category at present. See the <a href="/newest">newest listings</a>, or{' '}
        <a href="/#categories">other categories</a>.
      </p>
    ),
  })
