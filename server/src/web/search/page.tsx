import { CATEGORIES, type Category } from '@placard/contract'
import { type FoundPage, type SearchOrder, writeSearchCursor } from '../../domain/listings/search.ts'
import { RANKED_MAX } from '../../domain/listings/search-matches.ts'
import { SEARCH_MAX_LENGTH } from '../../domain/search/query.ts'
import { categorySlug } from '../../platform/cdn/tags.ts'
import type { Links } from '../../platform/http/links.ts'
import { Categories } from '../browse/categories.tsx'
import { categoryPath, feedPath } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Pager } from '../ui/paging.tsx'
import { searchSharePicture } from '../ui/share-picture.tsx'
import { categoriesNamed, FoundRows } from './found-rows.tsx'

/** A search as the form sends it. */
export interface Wanted {
  /** From `shownQuery`. */
  text: string
  category: Category | undefined
  /** Primary language, such as `pt`. */
  language: string | undefined
  order: SearchOrder
  /** Only listings whose owner is verified. */
  isVerified: boolean
}

export const ANYTHING: Wanted = {
  text: '',
  category: undefined,
  language: undefined,
  order: 'relevance',
  isVerified: false,
}

/** Renders the form without results. */
export const renderSearchForm = (links: Links): string =>
  renderDocument(
    <Layout links={links} title="Search" description="Search all listings." path="/search" isWall>
      <div class="wrap page-head">
        <h1>Search</h1>
        <p class="lead">Search all listings. Typos and other languages are fine.</p>
      </div>
      <div class="wrap">
        <SearchFilters wanted={ANYTHING} />
        <Categories />
      </div>
    </Layout>,
  )

interface Found {
  wanted: Wanted
  links: Links
  page: FoundPage
  /** Whether this is not the first page. */
  isFurther: boolean
}

export function renderFound({ wanted, links, page, isFurther }: Found): string {
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
    >
      <div class="wrap page-head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <p class="lead">
          Payment doesn’t affect results. <a href={searchFeed(wanted).path}>Feed</a>
        </p>
      </div>
      <div class="wrap">
        <SearchFilters wanted={wanted} />
        <NamedCategories text={wanted.text} />
        {page.rows.length > 0 ? (
          <section class="answer" aria-labelledby="listings">
            <div class="sec-head">
              <h2 id="listings">
                {isPart(page) ? 'Some of your words' : headingOf(wanted, page.rows.length, isFurther || !!next)}
              </h2>
              {isPart(page) ? (
                <p>No listing has all of your words. Each is missing some.</p>
              ) : (
                page.isCorrected && <p>No exact matches. These are close.</p>
              )}
            </div>
            <FoundRows listings={page.rows} text={wanted.text} />
          </section>
        ) : (
          <Nothing wanted={wanted} isFurther={isFurther} />
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

/** Returns whether listings have every word as it was typed. Only then may a picture of ours show the words. */
export const isWhole = (page: Pick<FoundPage, 'rows' | 'isCorrected'>) =>
  page.rows.length > 0 && !page.isCorrected && !isPart(page)

/** Returns whether no listing has every word. */
const isPart = ({ rows }: Pick<FoundPage, 'rows'>) => rows.some(({ missing }) => missing.length > 0)

/** Returns the number of results if one page has them all, and their order. */
function headingOf({ order }: Wanted, count: number, isPart: boolean): string {
  const inOrder = order === 'newest' ? 'newest first' : 'best matches first'
  if (isPart) return inOrder.replace(/^./, letter => letter.toUpperCase())
  return count === 1 ? '1 listing' : `${count} listings, ${inOrder}`
}

function NamedCategories({ text }: { text: string }) {
  const named = categoriesNamed(text)
  if (named.length === 0) return null
  return (
    <nav class="sib" aria-label="Categories of that name">
      <span>Category:</span>
      {named.map(category => (
        <a key={category} href={categoryPath(category)}>
          {category}
        </a>
      ))}
    </nav>
  )
}

function Nothing({ wanted, isFurther }: { wanted: Wanted; isFurther: boolean }) {
  if (isFurther) {
    return (
      <div class="blank">
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
    )
  }
  const isFiltered = wanted.category !== undefined || wanted.language !== undefined || wanted.isVerified
  return (
    <>
      <div class="blank">
        <div>
          <p>
            <strong>
              No matches for “<bdi>{wanted.text}</bdi>”.
            </strong>
          </p>
          <p>
            {isFiltered && (
              <>
                <a href={pathOf({ ...ANYTHING, text: wanted.text })}>Search all listings</a>.{' '}
              </>
            )}
            Try fewer words, or see the <a href="/newest">newest listings</a> or a category.
          </p>
        </div>
      </div>
      <Categories />
    </>
  )
}

/** The form. It works without JavaScript, and its address can be shared. */
function SearchFilters({ wanted: { text, category, language, order, isVerified } }: { wanted: Wanted }) {
  return (
    <search>
      <form class="filters" action="/search">
        <span class="ask big-ask">
          <input
            type="search"
            name="q"
            value={text}
            maxLength={SEARCH_MAX_LENGTH}
            placeholder="Search the listings"
            aria-label="Search the listings"
            required
          />
          <button class="btn go" type="submit">
            Search
          </button>
        </span>
        <select name="category" aria-label="Category">
          <option value="">All categories</option>
          {CATEGORIES.map(each => (
            <option key={each} value={categorySlug(each)} selected={each === category}>
              {each}
            </option>
          ))}
        </select>
        <select name="language" aria-label="Language">
          <option value="">All languages</option>
          {SEARCH_LANGUAGES.map(({ id, name }) => (
            <option key={id} value={id} selected={id === language}>
              {name}
            </option>
          ))}
        </select>
        <select name="sort" aria-label="Sort by">
          <option value="relevance">Best match</option>
          <option value="newest" selected={order === 'newest'}>
            Newest
          </option>
        </select>
        <label class="check">
          <input type="checkbox" name="verified" value="1" checked={isVerified} /> Owner verified
        </label>
      </form>
    </search>
  )
}

/** The page and the feed of a saved search. The feed has new matches first, whatever order the page has. */
export function searchFeed(wanted: Wanted): { path: string; page: string; title: string } {
  const page = pathOf({ ...wanted, order: 'newest' })
  return { path: feedPath(pathOf({ ...wanted, order: 'relevance' })), page, title: `Search: ${wanted.text}` }
}

/** Returns the address of a search, or of the page after a cursor. Leaves out default values. */
function pathOf({ text, category, language, order, isVerified }: Wanted, after?: string): string {
  const query = Object.entries({
    q: text,
    category: category && categorySlug(category),
    language,
    sort: order === 'newest' ? order : undefined,
    verified: isVerified ? '1' : undefined,
    after,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return `/search?${query.join('&')}`
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** The languages of the filter, in order of their English names. */
const SEARCH_LANGUAGES: readonly { id: string; name: string }[] = [
  ...['ar', 'az', 'be', 'bg', 'bn', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'es', 'et', 'eu', 'fa', 'fi'],
  ...['fil', 'fr', 'ga', 'gd', 'gl', 'gu', 'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk'],
  ...['km', 'kn', 'ko', 'lo', 'lt', 'lv', 'mk', 'ml', 'mn', 'mr', 'ms', 'my', 'nb', 'ne', 'nl', 'no', 'pa'],
  ...['pl', 'pt', 'ro', 'ru', 'si', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'te', 'th', 'tr', 'uk', 'ur'],
  ...['uz', 'vi', 'zh'],
]
  .map(id => ({ id, name: NAMES.of(id) ?? id }))
  .sort((one, other) => (one.name < other.name ? -1 : 1))

/** Returns a language of the filter, or undefined. */
export const knownSearchLanguage = (id: unknown): string | undefined =>
  SEARCH_LANGUAGES.find(language => language.id === id)?.id
