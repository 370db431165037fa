import { lazily } from '../../platform/lib/lazily.ts'
import { clockText, counted, dayText } from '../../platform/lib/text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'

const shortDayFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }))
const monthFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }))

interface Moment {
  at: number
}

/** A time for programs, and as text for people. */
const Time = ({ at, children }: Moment & { children: string }) => (
  <time dateTime={new Date(at).toISOString()}>{children}</time>
)

/** A UTC day, such as 6 September 2026. */
export const Day = ({ at }: Moment) => <Time at={at}>{dayText(at)}</Time>

/** A UTC month, such as September 2026. */
export const Month = ({ at }: Moment) => <Time at={at}>{monthText(at)}</Time>

export const monthText = (at: number): string => monthFormat().format(at)

/** A UTC minute, such as 6 September 2026, 14:05 UTC. */
export const Minute = ({ at }: Moment) => <Time at={at}>{minuteText(at)}</Time>

const minuteText = (at: number): string => `${dayText(at)}, ${clockText(at)} UTC`

const secondFormat = lazily(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
)

/** A UTC second as text, such as 6 Sept 2026, 14:05:09 UTC. */
export const secondText = (at: number): string => `${secondFormat().format(at)} UTC`

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const

/** A duration as text, such as 15 minutes. Takes milliseconds, in whole seconds. */
export function lastingText(lastingMs: number): string {
  const [name, unitMs] = UNITS.find(([, each]) => lastingMs % each === 0) ?? ['second', SECOND_MS]
  return counted(lastingMs / unitMs, name)
}

/** A wait as text, rounded up to minutes, such as 3 minutes. Takes whole seconds. */
export function waitText(seconds: number): string {
  if (seconds <= 10) return 'a few seconds'
  const minutes = Math.ceil(seconds / 60)
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`
  return minutes > 1 ? `${minutes} minutes` : 'a minute'
}

/** A UTC day as short text, such as 6 Sept 2026. @param day as YYYY-MM-DD */
export const shortDayText = (day: string): string => shortDayFormat().format(Date.parse(day))

/** A span of less than a day in hours and minutes, such as 3 h 05 min; the last hour in minutes. */
export function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`
}

/** Like `timeLeft`, for a clock that `assets/board.js` continues: the last hour in minutes and seconds. */
export function clockLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds >= 3600) return timeLeft(ms)
  return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** From this age on, a day without its year would be ambiguous. */
const YEAR_ENOUGH_MS = 300 * DAY_MS
const recentFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }))

/** How long ago something was, such as 4 minutes ago; after a week, the UTC day. */
export function Age({ at, now }: { at: number; now: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} data-age>
      {ageText(at, now)}
    </time>
  )
}

/** `assets/board.js` continues it in the same words. */
function ageText(at: number, now: number): string {
  const agoMs = now - at
  if (agoMs >= 7 * DAY_MS) return recentDayText(at, now)
  const unit = UNITS.find(([, each]) => agoMs >= each)
  return unit ? `${counted(Math.floor(agoMs / unit[1]), unit[0])} ago` : 'just now'
}

/** A short UTC day, with the year only if it is needed: 21 Nov. */
export const RecentDay = ({ at, now }: Moment & { now: number }) => <Time at={at}>{recentDayText(at, now)}</Time>

const recentDayText = (at: number, now: number): string =>
  (now - at < YEAR_ENOUGH_MS ? recentFormat() : shortDayFormat()).format(at)

/** A UTC time of day: 09:12. */
export const Clock = ({ at }: Moment) => <Time at={at}>{clockText(at)}</Time>

/** One sentence on whether new free listings are open, and until when. */
export function submissionWindow(submissionsEndAt: number | undefined, now: number): string {
  if (submissionsEndAt === undefined) return 'New free listings are open.'
  if (now < submissionsEndAt) return `New free listings are open until ${minuteText(submissionsEndAt)}.`
  return `New free listings have been closed since ${minuteText(submissionsEndAt)}.`
}
