import type { Winner } from '../../domain/boards/past-days.ts'
import { dotted, initialsOf } from '../../domain/pictures/posters/name.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { paidWords } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { counted } from '../../platform/lib/text.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { Section } from '../ui/elements.tsx'
import { knownLanguage, shortDollars } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Thumb } from '../ui/poster.tsx'
import { dayPath, daysIn, monthPath, monthText, weekdayOf } from './day-paths.ts'
import { PAST_DAYS_FEED } from './feeds.ts'
import { BoardTabs, EarlierAndLater, PaidHead } from './parts.tsx'

export interface MonthWinners {
  /** YYYY-MM. */
  month: string
  /** In the order of their days. */
  winners: readonly Winner[]
}

interface Calendar extends MonthWinners {
  /** Which days are over. */
  now: number
  /** The day whose page this is. */
  day?: string
}

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** The winners of a month, each day as a small poster. */
export function WinnersCalendar({ month, winners, now, day }: Calendar) {
  const days = daysOf({ month, winners, now })
  const first = weekdayOf(`${month}-01`)
  return (
    <Section id={`m-${month}`} title={monthText(month)} note={<p class="soft">Each day’s No. 1, after refunds.</p>}>
      <ol class="cal">
        {WEEK.map(name => (
          <li key={name} class="wk" aria-hidden="true">
            {name}
          </li>
        ))}
        {first >= SUMMARY_WEEKDAY_MIN && <Summary days={days} until={first} />}
        {days.map(each => (
          <CalendarDay key={each.day} {...each} isHere={each.day === day} />
        ))}
      </ol>
    </Section>
  )
}

/** If a month begins on an earlier weekday, its first row has no room for a sentence. */
const SUMMARY_WEEKDAY_MIN = 4

/** The number of days with a winner, in the empty cells of the first row. */
function Summary({ days, until }: { days: DayOfMonth[]; until: number }) {
  const over = days.filter(({ isToday }) => !isToday)
  if (over.length === 0) return null
  return (
    <li class={`gist to${until}`}>
      <b>
        {over.filter(({ winner }) => winner).length} of {counted(over.length, 'day')}
      </b>{' '}
      had a paid No. 1
    </li>
  )
}

/** An older month in one line. */
function WinnersStrip({ month, winners, now }: Calendar) {
  return (
    <Section
      id={`m-${month}`}
      title={monthText(month)}
      note={
        <p>
          <a href={monthPath(month)}>Open the month</a>
        </p>
      }
    >
      <ol class="strip">
        {daysOf({ month, winners, now }).map(({ day, number, winner }) =>
          winner ? (
            <li key={day} class={`${columnOf(day, number)}d ${stockClass(winner.category)}`}>
              <b>{number}</b>
              <i class="ini" aria-hidden="true">
                {initialsOf(dotted(winner.title, winner.language))}
              </i>
              <a href={dayPath(day)}>
                <span class="unseen" dir="auto">
                  {winner.title}, {shortDollars(winner.totalCents)}
                </span>
              </a>
            </li>
          ) : (
            <NoWinner key={day} number={number} column={columnOf(day, number)} />
          ),
        )}
      </ol>
    </Section>
  )
}

interface DayOfMonth {
  day: string
  number: number
  winner: Winner | undefined
  isToday: boolean
}

/** Returns the days of a month that have begun. */
function daysOf({ month, winners, now }: Calendar): DayOfMonth[] {
  const today = utcDay(now)
  const all = Array.from({ length: daysIn(month) }, (_, index) => {
    const day = `${month}-${String(index + 1).padStart(2, '0')}`
    return { day, number: index + 1, winner: winners.find(each => each.day === day), isToday: day === today }
  })
  return all.filter(({ day }) => day <= today)
}

function CalendarDay({ day, number, winner, isToday, isHere }: DayOfMonth & { isHere: boolean }) {
  const column = columnOf(day, number)
  if (isToday) {
    return (
      <li class={`${column}d now`}>
        <b>{number}</b>
        <a href="/board/today">
          <span class="clamp2">Today, still open</span>
        </a>
      </li>
    )
  }
  if (!winner) return <NoWinner number={number} column={column} />
  const { title, language, totalCents } = winner
  return (
    <li class={`${column}d ${stockClass(winner.category)}${isHere ? ' here' : ''}`}>
      <b>{number}</b>
      <i class="num">{shortDollars(totalCents)}</i>
      <Thumb listing={winner} />
      <a href={dayPath(day)} aria-current={isHere ? 'page' : undefined}>
        <span class="clamp2" dir="auto" lang={knownLanguage(language)}>
          {title}
        </span>
      </a>
    </li>
  )
}

/** Returns the class that puts the first day of a month into the column of its weekday. */
const columnOf = (day: string, number: number) => (number === 1 ? `c${weekdayOf(day)} ` : '')

const NoWinner = ({ number, column }: { number: number; column: string }) => (
  <li class={`${column}d no`}>
    <b>{number}</b>
    <span class="unseen">: no winner</span>
  </li>
)

/** The winners of a month and of older months, as plain data, so that an unchanged page is not rendered again. */
export interface MonthView {
  /** The month of the page first. */
  months: readonly [MonthWinners, ...MonthWinners[]]
  /** The last day with a winner before all of these. */
  earlier: string | undefined
  /** The month after, unless it has not begun. */
  later: string | undefined
  /** Midnight of the present day. */
  today: number
}

/** Renders the winners of a month. */
export const renderMonth =
  (links: Links) =>
  ({ months: [month, ...older], earlier, later, today }: MonthView): string =>
    renderDocument(
      <Layout
        links={links}
        isWall
        title={`Winners of ${monthText(month.month)}`}
        description={`${paidWords(links.site).sentence}: who was No. 1 of each day of ${monthText(month.month)}, and what they paid.`}
        path={monthPath(month.month)}
        feed={PAST_DAYS_FEED}
        {...(month.winners.length > 0 && { canonical: links.base + monthPath(month.month) })}
      >
        <PaidHead title="Past days">
          Each day has its own board, which closes at midnight UTC. These are the winners.{' '}
          <a href={PAST_DAYS_FEED.path}>Feed</a>
        </PaidHead>
        <BoardTabs at="past" isForSale={links.site.sellsPlaces} now={today} />
        <div class="wrap">
          <WinnersCalendar {...month} now={today} />
          {older.map(each => (
            <WinnersStrip key={each.month} {...each} now={today} />
          ))}
          <EarlierAndLater
            earlier={!!earlier && { path: monthPath(earlier), text: monthText(earlier.slice(0, 7)) }}
            later={!!later && { path: dayPath(later), text: monthText(later) }}
          />
        </div>
      </Layout>,
    )
