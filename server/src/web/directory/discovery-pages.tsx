import type { Category } from '@placard/contract'
import { LIST_PATH, type Links } from '../../http/links.ts'
import type { ShownPage } from '../../listings/shown.ts'
import { categoryBoardPath, categoryPath } from '../ui/category-path.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { renderListingPage } from '../ui/listing-page.tsx'
import { SearchForm } from '../ui/masthead.tsx'
import { Categories } from './categories.tsx'
import { categoriesNamed } from './categories-named.ts'
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
    isMoneyPlay: links.isMoneyPlay,
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

export const renderCategory = ({ category, links, ...paged }: Paged & { category: Category }): string =>
  renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: category,
    description: `Listings in ${category}, newest first.`,
    path: categoryPath(category),
    menuPath: categoryPath(category),
    canonical: links.base + categoryPath(category),
    head: <CategoryHead category={category} />,
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

/** The search page before a search: just the field and the categories. */
export const renderSearchForm = (links: Links): string =>
  renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title="Search"
      description="Search all listings."
      path="/search"
      isWall
    >
      <div class="wrap page-head">
        <h1>Search</h1>
        <p class="lead">Search the titles, descriptions and host names of everything on the board.</p>
      </div>
      <div class="wrap">
        <SearchForm class="big-ask" isMain />
        <Categories />
      </div>
    </Layout>,
  )

/** @param text what was searched, as `shownQuery` gives it */
export function renderFound({ text, links, ...paged }: Paged & { text: string }): string {
  const named = categoriesNamed(text)
  return renderListingPage({
    ...paged,
    isMoneyPlay: links.isMoneyPlay,
    title: `Search: ${text}`,
    description: 'Search results.',
    path: `/search?q=${encodeURIComponent(text)}`,
    menuPath: '/search',
    head: (
      <>
        <div class="wrap page-head">
          <h1>
            <bdi>Search: {text}</bdi>
          </h1>
        </div>
        <div class="wrap">
          <SearchForm class="big-ask" query={text} isMain />
          {named.length > 0 && (
            <nav class="sib" aria-label="Categories of that name">
              {named.map(category => (
                <a key={category} href={categoryPath(category)}>
                  {category}
                </a>
              ))}
            </nav>
          )}
        </div>
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

/** Where nothing is listed at all. */
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
