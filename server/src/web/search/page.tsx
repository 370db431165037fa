import { type SearchResults, writeSearchCursor } from '../../domain/listings/search.ts'
import { RANKED_MAX } from '../../domain/listings/search-matches.ts'
import type { Links } from '../../platform/http/links.ts'
import { counted } from '../../platform/lib/text.ts'
import { Categories } from '../browse/categories.tsx'
import { PageHead } from '../ui/elements.tsx'
import { categoryPath } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { SearchForm } from '../ui/masthead.tsx'
import { Pager } from '../ui/paging.tsx'
import { searchSharePicture } from '../ui/share-picture.tsx'
import { Filters, HiddenFilters, pathOf, type SearchParams, searchFeed } from './filters.tsx'
import { categoriesNamed, type Fitting, FoundRows, Nothing } from './results.tsx'

/** Renders the form without results. */
export const renderSearchForm = (links: Links): string =>
  renderDocument(
    <Layout
      links={links}
      title="Search"
      description="Search all listings."
      path="/search"
      isWall
      scripts={['search.js']}
    >
      <PageHead isWide title="Search">
        Search all listings. Typos and other languages are fine.
      </PageHead>
      <div class="wrap">
        <SearchForm class="big-ask" isMain />
        <Categories />
      </div>
    </Layout>,
  )

interface ResultsPage {
  wanted: SearchParams
  links: Links
  page: SearchResults
  /** What to show if nothing was found. */
  fitting: Fitting
  /** Whether this is not the first page. */
  isFurther: boolean
}

export function renderResults({ wanted, links, page, fitting, isFurther }: ResultsPage): string {
  const next = page.next && pathOf(wanted, writeSearchCursor(page.next))
  const title = `Search: ${wanted.text}`
  return renderDocument(
    <Layout
      links={links}
      title={isFurther ? `${title}, more` : title}
      description="Search results."
      path="/search"
      feed={searchFeed(wanted)}
      {...(isWhole(page) && {
        shared: links.base + pathOf(wanted),
        sharePicture: searchSharePicture(wanted.text, links.site),
      })}
      isWall
      head={next && <link rel="next" href={next} />}
      scripts={['search.js', page.rows.length > 0 && 'keep.js']}
    >
      <div class="wrap page-head">
        <SearchForm class="big-ask" isMain query={wanted.text}>
          <HiddenFilters wanted={wanted} />
        </SearchForm>
      </div>
      <div class="wrap hung">
        <NamedCategories text={wanted.text} />
        {page.rows.length > 0 ? (
          <div class="side">
            <Filters wanted={wanted} counts={page.counts} />
            <Answer wanted={wanted} page={page} isPart={isFurther || !!next} />
          </div>
        ) : isFurther ? (
          <ThatIsAll wanted={wanted} />
        ) : (
          <Nothing wanted={wanted} fitting={fitting} nearest={page.nearest} />
        )}
        <Pager
          first={isFurther ? pathOf(wanted) : undefined}
          firstText="Back to the first results"
          next={next}
          nextText="More"
          class="btn"
        />
      </div>
    </Layout>,
  )
}

function Answer({ wanted, page, isPart }: Pick<ResultsPage, 'wanted' | 'page'> & { isPart: boolean }) {
  const whole = page.rows.filter(row => row.missing.length === 0)
  const some = page.rows.slice(whole.length)
  const missing = [...new Set(some.flatMap(row => row.missing))]
  return (
    <section class="answer" aria-labelledby="listings">
      <div class="sec-head">
        <h1 id="listings">
          {whole.length === 0 ? 'Some of your words' : headingOf(wanted, whole.length, page.counts, isPart)}
        </h1>
        <p>
          Payment doesn’t affect results. <a href={searchFeed(wanted).path}>Feed</a>
        </p>
      </div>
      {page.corrected !== undefined && (
        <p class="typo">
          No exact matches. We searched for{' '}
          <strong>
            <bdi>{page.corrected}</bdi>
          </strong>
          .{' '}
          <a href={pathOf({ ...wanted, isExact: true })} rel="nofollow">
            Search for “<bdi>{wanted.text}</bdi>” instead
          </a>
        </p>
      )}
      {whole.length > 0 && <FoundRows listings={whole} text={wanted.text} />}
      {some.length > 0 && (
        <>
          <p class="typo">
            No {whole.length > 0 && 'other '}listing has all of your words. These are without{' '}
            {missing.map((word, place) => (
              <>
                {place > 0 && (place === missing.length - 1 ? ' or ' : ', ')}“<bdi>{word}</bdi>”
              </>
            ))}
            .
          </p>
          <FoundRows listings={some} text={wanted.text} />
        </>
      )}
    </section>
  )
}

/** Returns whether listings have every word as it was typed. Only then may a picture of ours show the words. */
export const isWhole = (page: Pick<SearchResults, 'rows' | 'isCorrected'>) =>
  page.rows[0]?.missing.length === 0 && !page.isCorrected

/** Returns the number of results if it is known, and else their order. */
function headingOf(
  { order, category, language, isVerified, hasPicture }: SearchParams,
  shown: number,
  counts: SearchResults['counts'],
  isPart: boolean,
) {
  if (!isPart) return counted(shown, 'listing')
  const isNarrowed = category !== undefined || language !== undefined || isVerified || hasPicture
  if (!isNarrowed && !counts.isAtLeast) return `${counts.all} listings`
  return order === 'newest' ? 'Newest first' : 'Best matches first'
}

function NamedCategories({ text }: { text: string }) {
  const named = categoriesNamed(text)
  if (named.length === 0) return null
  return (
    <nav class="sib one-line" aria-label="Categories of that name">
      <span>Category:</span>
      {named.map(category => (
        <a key={category} href={categoryPath(category)}>
          {category}
        </a>
      ))}
    </nav>
  )
}

const ThatIsAll = ({ wanted }: { wanted: SearchParams }) => (
  <div class="blank">
    <div>
      <h1 class="unseen">No more results</h1>
      <p>
        That is all.
        {wanted.order === 'relevance' && (
          <>
            {' '}
            At most about {RANKED_MAX} of the newest matches are ranked.{' '}
            <a href={pathOf({ ...wanted, order: 'newest' })}>Sort by newest</a> to see every match.
          </>
        )}
      </p>
    </div>
  </div>
)
