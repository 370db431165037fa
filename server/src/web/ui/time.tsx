const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const shortDayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** A UTC day, such as 6 September 2026. `at` in Unix milliseconds. */
export function Day({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{dayFormat.format(at)}</time>
}

/** A shorter form: 6 Sept 2026. */
export function ShortDay({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{shortDayFormat.format(at)}</time>
}

/** A UTC minute, such as 6 September 2026, 14:05 UTC. `at` in Unix milliseconds. */
export function Minute({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{minuteText(at)}</time>
}

/** `Minute` as text. */
export const minuteText = (at: number): string => `${dayFormat.format(at)}, ${clockFormat.format(at)} UTC`

const UNITS = [
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
] as const

/** A duration as text, such as 15 minutes. Takes milliseconds, in whole seconds. */
export function lastingText(lastingMs: number): string {
  const [name, unitMs] = UNITS.find(([, each]) => lastingMs % each === 0) ?? ['second', 1000]
  const count = lastingMs / unitMs
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** A wait as text, rounded up to minutes, such as 3 minutes. Takes whole seconds. */
export function waitText(seconds: number): string {
  if (seconds <= 10) return 'a few seconds'
  const minutes = Math.ceil(seconds / 60)
  return minutes > 1 ? `${minutes} minutes` : 'a minute'
}

/** A UTC day as text. `at` in Unix milliseconds. */
export const dayText = (at: number): string => dayFormat.format(at)

const MINUTE_MS = 60_000

/** A time span under a day, such as 3 h 05 min. */
export function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
