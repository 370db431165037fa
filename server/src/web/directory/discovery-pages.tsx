import type { Category } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import type { ShownPage } from '../../listings/shown.ts'
import { categoryBoardPath, categoryPath } from '../ui/category-path.ts'
import { Layout, renderDocument, SearchForm } from '../ui/layout.tsx'
import { renderListingPage } from '../ui/listing-page.tsx'
import { Categories, CategoryLinks } from './categories.tsx'
import { categoriesNamed } from './categories-named.ts'

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
        What is on the board in this category. <a href={categoryBoardPath(category)}>Paid places</a>,{' '}
        <a href="/#categories">other categories</a>
      </p>
    ),
    empty: (
      <p>
        Nothing is pinned up in this category at present. See the <a href="/newest">newest listings</a>, or{' '}
        <a href="/#categories">other categories</a>.
      </p>
    ),
  })

/** The field alone, before anything is searched. */
export const renderSearchForm = (links: Links): string =>
  renderDocument(
    <Layout isMoneyPlay={links.isMoneyPlay} title="Search" description="Search all listings." path="/search">
      <div class="listing-intro">
        <h1>Search</h1>
        <p class="lead">Search the titles, descriptions and host names of everything on the board.</p>
        <SearchForm class="find" />
      </div>
      <Categories />
    </Layout>,
  )

/** @param text what was searched, as `shownQuery` gives it */
export function renderFound({ text, links, page, isFurther }: Paged & { text: string }): string {
  const named = categoriesNamed(text)
  return renderListingPage({
    isMoneyPlay: links.isMoneyPlay,
    page,
    isFurther,
    title: `Search: ${text}`,
    description: 'Listings that were searched for.',
    path: `/search?q=${encodeURIComponent(text)}`,
    menuPath: '/search',
    intro: (
      <>
        <SearchForm class="find" query={text} />
        {named.length > 0 && (
          <nav aria-label="Categories of that name">
            <CategoryLinks categories={named} />
          </nav>
        )}
      </>
    ),
    empty: (
      <>
        <p>
          <strong>Nothing was found.</strong> No listing on the board has all of these words, or words that
          begin with them, in its title, description or host name.
        </p>
        <p>
          Try fewer or shorter words, or see the <a href="/newest">newest listings</a> or a category.
        </p>
      </>
    ),
    belowEmpty: <Categories />,
  })
}
