const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** A UTC day, such as 6 September 2026. `at` in Unix milliseconds. */
export function Day({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{dayFormat.format(at)}</time>
}

/** A UTC minute, such as 6 September 2026, 14:05 UTC. `at` in Unix milliseconds. */
export function Minute({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{minuteText(at)}</time>
}

/** The same as text. */
export const minuteText = (at: number): string => `${dayFormat.format(at)}, ${clockFormat.format(at)} UTC`
