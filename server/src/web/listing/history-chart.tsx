import type { DayOfTotal } from '../../boards/history.ts'
import { dayPath } from '../boards/day-paths.ts'
import { dollars } from '../ui/money.ts'
import { Day, dayText } from '../ui/time.tsx'

/** In units of the drawing, which stretches to the width of its column. */
const DAY_WIDTH = 10
const BAR_WIDTH = 7
const HEIGHT = 100

interface HistoryProps {
  /** The oldest first; the last is today. */
  days: readonly DayOfTotal[]
}

/** Fewer days with payments are said faster than drawn. */
const CHART_FROM = 3

/** A listing's total on the board of all time, day by day: a chart, and the payments in it as a list. */
export function History({ days }: HistoryProps) {
  const [first, last] = [days.at(0), days.at(-1)]
  if (!first || !last || last.totalCents === 0) return null
  const paid = days.filter(({ paidCents }) => paidCents > 0).toReversed()
  if (paid.length === 0) return null
  if (paid.length < CHART_FROM) return <PaidDays paid={paid} today={last.day} />
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
        <summary>What was paid, by day</summary>
        <PaidDays paid={paid} today={last.day} />
      </details>
    </figure>
  )
}

function PaidDays({ paid, today }: { paid: readonly DayOfTotal[]; today: string }) {
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
  return `Its total on the board of all time: ${then}, ${dollars(last.totalCents)} today.`
}
