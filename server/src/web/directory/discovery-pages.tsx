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
  /** Whether this is not the first page. */
  isFurther: boolean
}

export const renderNewest = ({ links, ...paged }: Paged): string =>
  renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: 'Newest listings',
    description: 'Every listing on the board, newest first.',
    path: '/newest',
    menuPath: '/newest',
    canonical: `${links.base}/newest`,
    intro: (
      <p class="lead">
        Every listing on the board, paid or free. <a href="/feed.atom">Feed</a>
      </p>
    ),
    empty: <p>Nothing is listed yet.</p>,
  })

export const renderCategory = ({ category, links, ...paged }: Paged & { category: Category }): string =>
  renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: category,
    description: `Listings in ${category}, newest first.`,
    path: categoryPath(category),
    canonical: links.base + categoryPath(category),
    intro: (
      <p class="lead">
        Everything listed in this category. <a href={categoryBoardPath(category)}>Paid places</a>,{' '}
        <a href="/#categories">other categories</a>
      </p>
    ),
    empty: (
      <p>
        Nothing is listed in this category right now. See the <a href="/newest">newest listings</a>, or{' '}
        <a href="/#categories">other categories</a>.
      </p>
    ),
  })

/** The search page before a search: just the field and the categories. */
export const renderSearchForm = (links: Links): string =>
  renderDocument(
    <Layout isMoneyPlay={links.isMoneyPlay} title="Search" description="Search all listings." path="/search">
      <div class="listing-intro">
        <h1>Search</h1>
        <p class="lead">Search titles, descriptions and host names.</p>
        <SearchForm class="find" />
      </div>
      <Categories />
    </Layout>,
  )

/** @param text the query, as `shownQuery` returns it */
export function renderFound({ text, links, page, isFurther }: Paged & { text: string }): string {
  const named = categoriesNamed(text)
  return renderListingPage({
    isMoneyPlay: links.isMoneyPlay,
    page,
    isFurther,
    title: `Search: ${text}`,
    description: 'Search results.',
    path: `/search?q=${encodeURIComponent(text)}`,
    menuPath: '/search',
    intro: (
      <>
        <SearchForm class="find" query={text} />
        {named.length > 0 && (
          <nav aria-label="Matching categories">
            <CategoryLinks categories={named} />
          </nav>
        )}
      </>
    ),
    empty: (
      <>
        <p>
          <strong>Nothing found.</strong> No listing has all of these words, or words that start with them, in
          its title, description or host name.
        </p>
        <p>
          Try fewer or shorter words, browse the <a href="/newest">newest listings</a>, or pick a category.
        </p>
      </>
    ),
    belowEmpty: <Categories />,
  })
}
