import { initialsOf } from '../../art/name.ts'
import { stockClass } from '../../art/stock.ts'
import type { Winner } from '../../boards/past-days.ts'
import { utcDay } from '../../time.ts'
import { Thumb } from '../ui/art.tsx'
import { knownLanguage } from '../ui/listed-text.ts'
import { shortDollars } from '../ui/money.ts'
import { dayPath, daysIn, monthPath, monthText, weekdayOf } from './day-paths.ts'

/** The winners of one month. */
export interface MonthWinners {
  /** YYYY-MM. */
  month: string
  /** In the order of their days. */
  winners: readonly Winner[]
}

interface Calendar extends MonthWinners {
  /** Unix milliseconds: which days are over. */
  now: number
  /** The day whose page this is. */
  day?: string
}

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** A month of winners, each day as a small bill. */
export function WinnersCalendar({ month, winners, now, day }: Calendar) {
  const days = daysOf({ month, winners, now })
  const first = weekdayOf(`${month}-01`)
  return (
    <section class="sec" aria-labelledby={`m-${month}`}>
      <div class="sec-head">
        <h2 id={`m-${month}`}>{monthText(month)}</h2>
        <p class="soft">Who is No. 1 of each day, by what their payments count for now.</p>
      </div>
      <ol class="cal">
        {WEEK.map(name => (
          <li key={name} class="wk" aria-hidden="true">
            {name}
          </li>
        ))}
        {first >= ROOM_FOR_GIST && <Gist days={days} until={first} />}
        {days.map(each => (
          <CalendarDay key={each.day} {...each} isHere={each.day === day} />
        ))}
      </ol>
    </section>
  )
}

/** The weekday that a month has to begin on, so that its first row has room for a sentence. */
const ROOM_FOR_GIST = 4

/** How many days have a winner, in the empty places of the first row. */
function Gist({ days, until }: { days: DayOfMonth[]; until: number }) {
  const over = days.filter(({ isToday }) => !isToday)
  if (over.length === 0) return null
  return (
    <li class={`gist to${until}`}>
      <b>
        {over.filter(({ winner }) => winner).length} of {over.length === 1 ? '1 day' : `${over.length} days`}
      </b>{' '}
      had a paid No. 1
    </li>
  )
}

/** An older month in one line. */
export function WinnersStrip({ month, winners, now }: Calendar) {
  return (
    <section class="sec" aria-labelledby={`m-${month}`}>
      <div class="sec-head">
        <h2 id={`m-${month}`}>{monthText(month)}</h2>
        <p>
          <a href={monthPath(month)}>Open the month</a>
        </p>
      </div>
      <ol class="strip">
        {daysOf({ month, winners, now }).map(({ day, number, winner }) =>
          winner ? (
            <li key={day} class={`${columnOf(day, number)}d ${stockClass(winner.category)}`}>
              <b>{number}</b>
              <i class="ini" aria-hidden="true">
                {initialsOf(winner.title)}
              </i>
              <a href={dayPath(day)}>
                <span class="unseen">
                  {winner.title}, {shortDollars(winner.totalCents)}
                </span>
              </a>
            </li>
          ) : (
            <NoWinner key={day} number={number} column={columnOf(day, number)} />
          ),
        )}
      </ol>
    </section>
  )
}

interface DayOfMonth {
  day: string
  number: number
  winner: Winner | undefined
  isToday: boolean
}

/** The days of a month that have begun. */
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

/** The first of a month starts in the column of its weekday. */
const columnOf = (day: string, number: number) => (number === 1 ? `c${weekdayOf(day)} ` : '')

const NoWinner = ({ number, column }: { number: number; column: string }) => (
  <li class={`${column}d no`}>
    <b>{number}</b>
    <span class="unseen">: no winner</span>
  </li>
)
