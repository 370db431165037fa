import { type Category, DISPLAY_DAYS } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import { type DatedRow, writeDiscoveryCursor } from '../../domain/listings/listed-row.ts'
import { stockClass, stockOf } from '../../domain/pictures/posters/stock.ts'
import { categorySlug } from '../../platform/cdn/tags.ts'
import type { Page } from '../../platform/db/keyset.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { ButtonLink, PageHead } from '../ui/elements.tsx'
import { categoryBoardPath, categoryPath, feedPath } from '../ui/format.ts'
import { type Frame, Layout, renderDocument } from '../ui/layout.tsx'
import { Wall } from '../ui/listing-poster.tsx'
import { Pager } from '../ui/paging.tsx'
import { categoryDrawing, sharedPath } from '../ui/share-picture.tsx'
import { countText } from './categories.tsx'

export interface Paged {
  links: Links
  page: Page<DatedRow>
  /** Whether this is not the first page. */
  isFurther: boolean
  now: number
}

export const renderNewest = (paged: Paged): string =>
  renderListings({
    ...paged,
    title: 'Newest listings',
    description: 'Every listing, newest first.',
    path: '/newest',
    head: (
      <PageHead isWide title="Newest">
        All listings, newest first. Money doesn’t change this order. <a href="/feed.atom">Feed</a>
      </PageHead>
    ),
    empty: <NothingYet />,
  })

/** Renders a page of a category. @param count the listings in it, up to `COUNTED_MAX` */
export const renderCategory = ({ category, count, ...paged }: Paged & { category: Category; count: number }): string =>
  renderListings({
    ...paged,
    title: category,
    description: `Listings in ${category}, newest first.`,
    path: categoryPath(category),
    feed: { path: feedPath(categoryPath(category)), title: `${category}: newest listings` },
    sharePicture: {
      path: sharedPath(`category-${categorySlug(category)}`, categoryDrawing(category, paged.links.site)),
      alt: `${category} on ${paged.links.site.name}`,
    },
    head: <CategoryHead category={category} count={count} isForSale={paged.links.site.sellsPlaces} />,
    isOfCategory: true,
    empty: (
      <>
        <h2>Room for you</h2>
        <p>
          Nothing is listed in this category now. See the <a href="/newest">newest listings</a>, or{' '}
          <a href="/#categories">other categories</a>.
        </p>
        <ListYours />
      </>
    ),
  })

interface ListingsPage extends Paged, Pick<Frame, 'title' | 'description' | 'feed' | 'sharePicture'> {
  path: string
  /** The head of the page, with its `h1`. */
  head: ComponentChildren
  /** Whether all listings are of one category: their posters are in tones of one ink, and the reader is invited. */
  isOfCategory?: boolean
  /** Shown if there is no listing at all. */
  empty: ComponentChildren
}

function renderListings({ links, page, now, isFurther, title, path, isOfCategory, ...words }: ListingsPage): string {
  const { description, feed, sharePicture, head, empty } = words
  const older = page.next && `${path}?after=${writeDiscoveryCursor(page.next)}`
  return renderDocument(
    <Layout
      links={links}
      title={isFurther ? `${title}, older` : title}
      description={description}
      path={path}
      canonical={links.base + path}
      feed={feed}
      {...(sharePicture && { sharePicture })}
      isWall
      head={older && <link rel="next" href={older} />}
      scripts={['keep.js']}
    >
      {head}
      <div class="wrap hung">
        {page.rows.length > 0 ? (
          <section aria-labelledby="listings">
            <h2 class="unseen" id="listings">
              {isFurther ? 'Older listings, newest first' : 'Newest first'}
            </h2>
            <Wall listings={page.rows} now={now} saysCategory={!isOfCategory} {...(isOfCategory && { class: 'tones' })}>
              {isOfCategory && !older && <Yours />}
            </Wall>
          </section>
        ) : (
          <div class="blank">
            <div>{isFurther ? <p>There are no older listings.</p> : empty}</div>
          </div>
        )}
        <Pager
          first={isFurther ? path : undefined}
          firstText="Back to the newest"
          next={older}
          nextText="Older"
          class="btn"
        />
      </div>
    </Layout>,
  )
}

/** A poster for the reader's own website. */
const Yours = () => (
  <li class="yours">
    <a href={LIST_PATH}>
      <b>Yours?</b>
      <span>List it free for {DISPLAY_DAYS} days</span>
    </a>
  </li>
)

/** Shown if nothing is listed on the site. */
export const NothingYet = () => (
  <>
    <h2>No listings yet</h2>
    <p>Yours can be the first.</p>
    <ListYours />
  </>
)

const ListYours = () => (
  <p class="acts">
    <ButtonLink look="go" href={LIST_PATH}>
      List your site
    </ButtonLink>
  </p>
)

/** Longer names are set smaller, to fit in two lines. */
const LARGE_NAME_MAX = 10

interface CategoryHeadProps {
  category: Category
  count: number
  /** Whether to link to the board of the category. If nothing is for sale, most of these boards are empty. */
  isForSale: boolean
}

/** The name of a category on its paper, and links to related categories. */
function CategoryHead({ category, count, isForSale }: CategoryHeadProps) {
  const { name, categories } = stockOf(category)
  return (
    <div class={`cat ${stockClass(category)}`}>
      <div class="wrap">
        <h1 class={category.length > LARGE_NAME_MAX ? 'long' : undefined}>{category}</h1>
        <div>
          <p>
            {countText(count)} in {category}, newest first. Money doesn’t change this order.{' '}
            <a href={feedPath(categoryPath(category))}>Feed</a>
          </p>
          {isForSale && (
            <ButtonLink look="low" href={categoryBoardPath(category)}>
              Paid places in {category}
            </ButtonLink>
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
