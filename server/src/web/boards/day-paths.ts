import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { monthText as monthTextAt } from '../ui/time.tsx'

/** Returns the path of a past day, such as 2026-11-20. */
export const dayPath = (day: string): string => `/board/today/${day}`

/** Returns the UTC month of a day, as YYYY-MM. */
export const monthOf = (day: string): string => day.slice(0, 7)

/** Returns the path of the month of a day. */
export const monthPath = (day: string): string => dayPath(monthOf(day))

/** Returns whether a text is a day of the calendar. */
export function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && utcDay(at) === text
}

/** Returns whether a text is a month, as YYYY-MM. */
export const isMonth = (text: string): boolean => isDay(`${text}-01`)

/** Returns the last day of the previous month. @param month as YYYY-MM */
export const lastDayBefore = (month: string): string => utcDay(Date.parse(`${month}-01`) - 1)

/** Returns the next month. @param month as YYYY-MM */
export const monthAfter = (month: string): string => monthOf(utcDay(Date.parse(`${month}-01`) + daysMs(daysIn(month))))

/** Returns the number of days of a month. @param month as YYYY-MM */
export function daysIn(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).getUTCDate()
}

/** Returns the weekday of a day, with Monday as 1. */
export const weekdayOf = (day: string): number => new Date(Date.parse(day)).getUTCDay() || 7

/** Returns a month as text, such as November 2026. */
export const monthText = (month: string): string => monthTextAt(Date.parse(`${month}-01`))
