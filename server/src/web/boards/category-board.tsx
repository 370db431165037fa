import { type Category, MINIMUM_TARGET_USD } from '@placard/contract'
import type { ListedPlace } from '../../domain/boards/listed-places.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { paidWords } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { categoryBoardPath, categoryPath, shortDollars } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import type { PageAtCursor } from '../ui/paging.tsx'
import { Minute } from '../ui/time.tsx'
import { BoardPager, EmptyBoard, PastTheEnd } from './parts.tsx'
import { firstPlacePath, PlacesInOrder } from './places.tsx'
import { boardSharePicture } from './share.ts'

export interface CategoryBoardView extends PageAtCursor {
  category: Category
  places: readonly ListedPlace[]
  /** At the beginning of a minute. */
  now: number
}

/** Renders the paid places of a category: those on the all-time board that are in this category. */
export function renderCategoryBoard(view: CategoryBoardView, links: Links): string {
  const { category, places, cursor } = view
  const { sellsPlaces } = links.site
  const path = categoryBoardPath(category)
  return renderDocument(
    <Layout
      links={links}
      isWall
      title={`${category}: paid places`}
      description={`${paidWords(links.site).sentence}: the listings in ${category}, ranked by total paid.`}
      path={path}
      {...(cursor === undefined && {
        canonical: links.base + path,
        // Only the picture of today's board depends on the time.
        sharePicture: boardSharePicture(category, { places, site: links.site, now: 0 }),
      })}
    >
      <div class={`cat ${stockClass(category)}`}>
        <div class="wrap">
          <h1 class="long">Paid places in {category}</h1>
          <div>
            <span class="paid">Paid placement</span>
            <p>
              The <a href="/board/all">all-time board</a>, {category} only.{' '}
              {sellsPlaces && ' One payment counts on both.'}
            </p>
            {sellsPlaces && (
              <a class="btn low go" href={`/promote?${new URLSearchParams({ board: 'all', category })}`}>
                Buy a place
              </a>
            )}
          </div>
          <nav class="sib" aria-label="Other places">
            <a href={categoryPath(category)}>Newest in {category}</a>
            <a href="/#categories">All categories</a>
          </nav>
        </div>
      </div>
      <div class="wrap">
        <Places view={view} isForSale={sellsPlaces} />
      </div>
    </Layout>,
  )
}

function Places({ view, isForSale }: { view: CategoryBoardView; isForSale: boolean }) {
  const { category, places, cursor, nextCursor, now } = view
  const path = categoryBoardPath(category)
  if (places.length === 0 && cursor !== undefined) return <PastTheEnd path={path} />
  if (places.length === 0) {
    return (
      <EmptyBoard heading={isForSale ? 'No paid places here yet' : 'No listing has a place here'}>
        {isForSale && (
          <p>
            {shortDollars(MINIMUM_TARGET_USD * 100)} takes No. 1 in {category}, until another website pays more.{' '}
            <a href={firstPlacePath('all')} rel="nofollow">
              Buy a place
            </a>
          </p>
        )}
      </EmptyBoard>
    )
  }
  return (
    <>
      <PlacesInOrder places={places} paid="paid" />
      <p class="soft small">
        Totals as of <Minute at={now} />.
      </p>
      <BoardPager path={path} cursor={cursor} nextCursor={nextCursor} />
    </>
  )
}
