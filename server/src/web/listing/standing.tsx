import { BOARDS, type Board } from '@placard/contract'
import type { DayOfTotal, Standings } from '../../domain/boards/standings.ts'
import type { NextPlace } from '../../domain/checkout/offer.ts'
import type { Product } from '../../domain/listings/listing.ts'
import { promotePath } from '../../platform/http/links.ts'
import { dayText, dollars } from '../../platform/lib/text.ts'
import { dayPath } from '../boards/day-paths.ts'
import { BOARD_NAMES, shortDollars } from '../ui/format.ts'
import { Day } from '../ui/time.tsx'

/** In units of the drawing, which stretches to the width of its column. */
const DAY_WIDTH = 10
const BAR_WIDTH = 7
const HEIGHT = 100

interface HistoryProps {
  /** The oldest first; the last is today. */
  days: readonly DayOfTotal[]
}

/** With fewer days of payments, a list is shorter than a chart. */
const CHART_FROM = 3

/** A listing's all-time total, day by day: a chart, and its payments as a list. */
function History({ days }: HistoryProps) {
  const [first, last] = [days.at(0), days.at(-1)]
  if (!first || !last || last.totalCents === 0) return null
  const paid = days.filter(({ paidCents }) => paidCents > 0).toReversed()
  if (paid.length === 0) return null
  if (paid.length < CHART_FROM) return <PaidDays paid={paid} first={first} today={last.day} />
  return (
    <figure class="history">
      <figcaption>
        <span>All-time total, last {days.length} days</span>
        <span>{dollars(last.totalCents)}</span>
      </figcaption>
      <svg
        class="plot"
        role="img"
        aria-label={inWords(first, last)}
        viewBox={`0 0 ${days.length * DAY_WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map(({ day, totalCents, paidCents }, index) => (
          <g key={day}>
            <Bar index={index} from={0} to={(totalCents - paidCents) / last.totalCents} />
            <Bar
              index={index}
              from={(totalCents - paidCents) / last.totalCents}
              to={totalCents / last.totalCents}
              isPaid
            />
          </g>
        ))}
      </svg>
      <p class="ends small soft" aria-hidden="true">
        <span>{dayText(Date.parse(first.day))}</span>
        <span>Today</span>
      </p>
      <p class="hues small soft" aria-hidden="true">
        <span class="c">paid that day</span>
        <span class="v">before</span>
      </p>
      <details>
        <summary>Payments by day</summary>
        <PaidDays paid={paid} first={first} today={last.day} />
      </details>
    </figure>
  )
}

/** Days with payments, newest first, and what was paid before the first day: together they are the all-time total. */
function PaidDays({ paid, first, today }: { paid: readonly DayOfTotal[]; first: DayOfTotal; today: string }) {
  const before = first.totalCents - first.paidCents
  return (
    <dl class="facts">
      {paid.map(({ day, paidCents }) => (
        <>
          <dt>
            Paid on{' '}
            <a href={day === today ? '/board/today' : dayPath(day)}>
              <Day at={Date.parse(day)} />
            </a>
          </dt>
          <dd>{dollars(paidCents)}</dd>
        </>
      ))}
      {before > 0 && (
        <>
          <dt>
            Paid before <Day at={Date.parse(first.day)} />
          </dt>
          <dd>{dollars(before)}</dd>
        </>
      )}
    </dl>
  )
}

/** A part of a day's bar, between two parts of the height. */
function Bar(bar: { index: number; from: number; to: number; isPaid?: boolean }) {
  const height = (bar.to - bar.from) * HEIGHT
  if (height <= 0) return null
  return (
    <rect
      class={bar.isPaid ? 'c' : 'v'}
      x={bar.index * DAY_WIDTH + (DAY_WIDTH - BAR_WIDTH) / 2}
      y={rounded((1 - bar.to) * HEIGHT)}
      width={BAR_WIDTH}
      height={rounded(height)}
    />
  )
}

const rounded = (units: number) => Math.round(units * 10) / 10

function inWords(first: DayOfTotal, last: DayOfTotal): string {
  const then = `${dollars(first.totalCents)} on ${dayText(Date.parse(first.day))}`
  return `All-time total: ${then}, ${dollars(last.totalCents)} today.`
}

/** The place that the listing could take next on each board, if that is known. */
export type Takes = Partial<Record<Board, NextPlace>>

export interface StandingProps {
  product: Product
  standings: Standings
  /** Empty without verified payments. */
  history: readonly DayOfTotal[]
  /** Undefined if the site sells no places. */
  takes: Takes | undefined
}

/** The listing's places, the payments in its total, and the price of the next place up. */
export function ProductStanding({ product, standings, history, takes }: StandingProps) {
  if (!standings.all) {
    return (
      <section aria-labelledby="standing">
        <h2 id="standing">On the boards</h2>
        <p>Not on a paid board.</p>
        {takes && <TakeNext product={product} takes={takes} />}
      </section>
    )
  }
  return (
    <section aria-labelledby="standing">
      <h2 id="standing">
        On the boards <span class="paid">Paid placement</span>
      </h2>
      <ul class="stand">
        {BOARDS.map(board => {
          const standing = standings[board]
          return (
            <li key={board} class={standing?.rank === 1 ? 'first' : undefined}>
              <a href={`/board/${board}`}>{BOARD_NAMES[board]}</a>
              {standing ? (
                <>
                  <b>No. {standing.rank.toLocaleString('en-US')}</b>
                  <small>{shortDollars(standing.totalCents)} paid</small>
                </>
              ) : (
                <>
                  <b>–</b>
                  <small>No payment counts</small>
                </>
              )}
            </li>
          )
        })}
      </ul>
      <History days={history} />
      <p class="small soft">{takes ? 'Bought' : 'Paid'}, not voted. UTC days; refunds and disputes excluded.</p>
      {takes && <TakeNext product={product} takes={takes} />}
    </section>
  )
}

const ON_BOARD: Record<Board, string> = { all: '', today: ' today' }

/** Prices are for this website, less what it has. They may be some seconds old: the order page shows the one that counts. */
function TakeNext({ product, takes }: { product: Product; takes: Takes }) {
  const { category } = product
  const offered = BOARDS.flatMap(board => (takes[board] ? [{ board, ...takes[board] }] : []))
  return (
    <p class="takes">
      {offered.map(({ board, rank, targetBid, chargeAmountCents }) => (
        <a
          class="take"
          key={board}
          href={promotePath({ destination: product, category, board, targetBid })}
          rel="nofollow"
        >
          Move this site to No. {rank.toLocaleString('en-US')}
          {ON_BOARD[board]} for {shortDollars(chargeAmountCents)}
        </a>
      ))}
      {offered.length === 0 && (
        <a class="take" href={promotePath({ destination: product, category })} rel="nofollow">
          Buy a place
        </a>
      )}
    </p>
  )
}
