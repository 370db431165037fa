import type { Causes, Closing, ClosingOrder } from '../../domain/boards/closing-order.ts'
import type { ListedPlace } from '../../domain/boards/listed-places.ts'
import { paidWords } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { counted, dayText } from '../../platform/lib/text.ts'
import { shortDollars } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import type { PageAtCursor } from '../ui/paging.tsx'
import { dayPath } from './day-paths.ts'
import { PAST_DAYS_FEED } from './feeds.ts'
import { BoardPager, BoardTabs, EarlierAndLater, PaidHead, PastTheEnd } from './parts.tsx'
import { PlacesInOrder } from './places.tsx'
import { daySharePicture } from './share.ts'
import { type MonthWinners, WinnersCalendar } from './winners.tsx'

/** One page of the board of a past day, as plain data, so that an unchanged page is not rendered again. */
export interface PastDayView extends Omit<ClosingOrder, 'closings'>, PageAtCursor {
  /** UTC, as YYYY-MM-DD. */
  day: string
  places: readonly (ListedPlace & { closing: Closing | undefined })[]
  /** The nearest days with a place. */
  earlier: string | undefined
  later: string | undefined
  winners: MonthWinners
  /** Midnight of the present day. Nothing on the page depends on the hour. */
  today: number
}

const textOf = (day: string) => dayText(Date.parse(day))

/** Renders a past day by the present value of its payments, and the winners of its month. */
export const renderPastDay =
  (links: Links) =>
  (view: PastDayView): string => {
    const { day, places, cursor, earlier, later, today, winners } = view
    const isIndexed = cursor === undefined && places.length > 0
    return renderDocument(
      <Layout
        links={links}
        isWall
        title={`${textOf(day)}: paid places`}
        description={`${paidWords(links.site).sentence}: who had a place on the board of ${textOf(day)}, and for how much.`}
        path={dayPath(day)}
        feed={PAST_DAYS_FEED}
        {...(isIndexed && {
          canonical: links.base + dayPath(day),
          sharePicture: daySharePicture(day, { places, site: links.site }),
        })}
      >
        <PaidHead title={textOf(day)}>
          This day is over. Updated for later refunds and withdrawals. <a href={PAST_DAYS_FEED.path}>Feed</a>
        </PaidHead>
        <BoardTabs at="past" isForSale={links.site.sellsPlaces} now={today} />
        <div class="wrap">
          <Places view={view} />
          <EarlierAndLater
            earlier={!!earlier && { path: dayPath(earlier), text: textOf(earlier) }}
            later={later ? { path: dayPath(later), text: textOf(later) } : { path: '/board/today', text: 'Today' }}
          />
          <WinnersCalendar {...winners} now={today} day={day} />
        </div>
      </Layout>,
    )
  }

function Places({ view }: { view: PastDayView }) {
  const { day, places, cursor, nextCursor } = view
  return (
    <>
      <LaterChanges view={view} />
      {places.length === 0 && cursor !== undefined && <PastTheEnd path={dayPath(day)} />}
      {places.length === 0 && cursor === undefined && <p>No listing has a place on this day.</p>}
      <PlacesInOrder places={places} paid="paid that day" detailsOf={({ closing }) => ({ note: noteOf(closing) })} />
      {places.length > 0 && (
        <p class="soft small">
          These payments also count for <a href="/board/all">all time</a>, less later refunds and disputes.
        </p>
      )}
      <BoardPager path={dayPath(day)} cursor={cursor} nextCursor={nextCursor} />
    </>
  )
}

function LaterChanges({ view: { places, gone, hidden, isIncomplete } }: { view: PastDayView }) {
  const isByMoney = gone > 0 || places.some(({ closing }) => closing === 'none' || closing?.isByMoney === true)
  if (!isIncomplete && !isByMoney && hidden === 0) return null
  return (
    <p class="later">
      {[
        isByMoney && 'Refunds or disputes after midnight changed this order.',
        gone > 0 && `${counted(gone, 'website')} had a place at midnight and ${gone === 1 ? 'has' : 'have'} none now.`,
        hidden > 0 &&
          `${counted(hidden, 'listing')} with a place at midnight ${hidden === 1 ? 'was' : 'were'} withdrawn or taken down later.`,
        isIncomplete && 'Too much has changed to show the ranks at midnight.',
      ]
        .filter(Boolean)
        .join(' ')}
    </p>
  )
}

function noteOf(closing: Closing | undefined): string | undefined {
  if (closing === undefined) return undefined
  if (closing === 'none') return 'At midnight this had no place: its payment was refunded or disputed at that time.'
  return `At midnight this was No. ${closing.rank}, with ${shortDollars(closing.totalCents)}. ${causesOf(closing)} changed the order later.`
}

function causesOf({ isByMoney, isByHiding }: Causes): string {
  if (!isByHiding) return 'Refunds or disputes'
  return isByMoney
    ? 'Refunds or disputes, and listings that were withdrawn or taken down,'
    : 'Listings that were withdrawn or taken down'
}
