import { DISPLAY_DAYS, MINIMUM_TARGET_USD } from '@placard/contract'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import type { Picked } from '../../domain/featured/feature.ts'
import type { Drawn } from '../../domain/featured/read-draw.ts'
import type { CategoryCounts } from '../../domain/listings/category-counts.ts'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import { PLACARD } from '../../platform/config/site.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { DatabaseAway, Movement } from '../boards/parts.tsx'
import { Categories } from '../browse/categories.tsx'
import { NothingYet } from '../browse/pages.tsx'
import { LastPick, TenByLot } from '../featured/picks.tsx'
import { Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Wall } from '../ui/listing-poster.tsx'
import { Minute } from '../ui/time.tsx'
import { BoardTop, type TopEntry } from './top-places.tsx'

/** What the home page shows, as plain data, so that an unchanged page is not rendered again. */
export interface Home {
  listings: DatedRow[]
  /** The top places of both boards; undefined if they can't be read. */
  tops: { all: TopEntry[]; today: TopEntry[] | undefined } | undefined
  /** The places that were taken last; undefined if they can't be read. */
  taken: PlaceTaken[] | undefined
  counts: CategoryCounts
  /** Drawn by lot today. */
  drawn: Drawn[]
  /** The operator's last one. */
  pick: Picked | undefined
  /** From `submissionWindow`. */
  submissions: string
  /** When the data was read, if it can't be read now. */
  asOf?: number | undefined
  /** At the beginning of a minute, because the page shows times to the minute. */
  now: number
}

/** How many places of each board the home page shows. */
export const PLACES_SHOWN = 7

/** Renders the boards, the newest listings, and how to list a site. The script of the boards keeps it up to date. */
export const renderHome = ({ listings, tops, asOf, now, ...home }: Home, links: Links): string => {
  const { sellsPlaces } = links.site
  const top = { limit: PLACES_SHOWN, isForSale: asOf === undefined && sellsPlaces, now }
  // If nothing is for sale, empty boards stay empty.
  const showsBoards = sellsPlaces || !tops || tops.all.length > 0
  return renderDocument(
    <Layout
      links={links}
      title={links.site.tagline}
      description={`${links.site.tagline}. Free for ${DISPLAY_DAYS} days: your AI agent lists your site; you approve.`}
      path="/"
      canonical={`${links.base}/`}
      isWall
      scripts={['board.js', 'search.js', 'keep.js']}
    >
      <div class="on-green">
        <div class="wrap cry">
          <Tagline tagline={links.site.tagline} />
          <div class="pitch">
            <p>
              List your site free for {DISPLAY_DAYS} days. Your AI agent posts it; you approve.{' '}
              {showsBoards && <span>These two boards are paid.</span>}
            </p>
            <p class="acts">
              <a class="btn go" href={LIST_PATH}>
                List your site
              </a>
              {top.isForSale && (
                <a class="btn" href="/promote">
                  Buy a place from ${MINIMUM_TARGET_USD}
                </a>
              )}
            </p>
          </div>
          {asOf !== undefined && <DatabaseAway asOf={asOf} links={links} />}
          {showsBoards && (
            <div class="two">
              <BoardTop board="today" entries={tops?.today} {...top} />
              <BoardTop board="all" entries={tops?.all} {...top} />
            </div>
          )}
          {showsBoards && tops && asOf === undefined && (
            <p class="as-of">
              Places on both boards as of <Minute at={now} />.
            </p>
          )}
          <p class="news" role="status" data-news />
          <Movement taken={home.taken ?? []} now={now} />
        </div>
      </div>
      <div class="wrap">
        <LastPick pick={home.pick} />
        <TenByLot drawn={home.drawn} />
        <Section
          id="newest"
          title="Newest"
          look="newest"
          note={
            <>
              <p class="soft">Money doesn’t change this order.</p>
              <p>
                <a href="/newest">All listings</a>
              </p>
            </>
          }
        >
          {listings.length > 0 ? (
            <Wall listings={listings} now={now} saysCategory />
          ) : (
            <div class="blank">
              <div>
                <NothingYet />
              </div>
            </div>
          )}
        </Section>
        <Categories counts={home.counts} />
        <HowItWorks submissions={home.submissions} isForSale={sellsPlaces} />
      </div>
    </Layout>,
  )
}

/** The tagline, as large as it fits. Ours is set exactly as wide as the page. */
const Tagline = ({ tagline }: { tagline: string }) =>
  tagline === PLACARD.tagline ? (
    <h1>
      <span class="l1">A public</span> <span class="l2">notice board</span> <span class="l3">for websites</span>
    </h1>
  ) : (
    <h1 class="own">{tagline}</h1>
  )

function HowItWorks({ submissions, isForSale }: Pick<Home, 'submissions'> & { isForSale: boolean }) {
  return (
    <section class="sec how" aria-labelledby="how">
      <h2 id="how">How to get listed</h2>
      <ol>
        <li>
          <b aria-hidden="true">1</b>
          <p>
            <a href={LIST_PATH}>Get a prompt for your AI agent</a>: enter your website’s address and a category. The
            agent asks you first.
          </p>
        </li>
        <li>
          <b aria-hidden="true">2</b>
          <p>
            You approve. The agent sends one request. We review your page and list it with your title, description and
            picture.
          </p>
        </li>
        <li>
          <b aria-hidden="true">3</b>
          <p>
            Your listing stays up free for {DISPLAY_DAYS} days. You get a private link to update it, change its category
            or take it down.
          </p>
        </li>
        {isForSale && (
          <li>
            <b aria-hidden="true">$</b>
            <p>
              Want to be seen first? <a href="/promote">Buy a place</a> on a board. No API can charge: only a person
              pays, in a browser.
            </p>
          </li>
        )}
      </ol>
      <p class="when">{submissions}</p>
    </section>
  )
}
