const LONGEST_SECONDS = 366 * 24 * 60 * 60

/** Returns a wait that a date can hold. */
export const shortened = (seconds: number): number => Math.min(seconds, LONGEST_SECONDS)

/**
 * Parses a Retry-After header: seconds, or an HTTP date relative to the reply's own Date header, so that a wrong clock
 * here does not matter. Returns whole seconds of 0 or more, or undefined if it is absent or invalid.
 */
export function retryAfterSeconds(headers: Pick<Headers, 'get'>, nowMs = Date.now()): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(text)) return shortened(Number(text))
  const untilMs = httpDateMs(text)
  if (untilMs === undefined) return undefined
  const fromMs = httpDateMs(headers.get('date') ?? '') ?? nowMs
  return shortened(Math.max(0, Math.ceil((untilMs - fromMs) / 1000)))
}

// Date.parse alone would read "-1" or "2" as a year.
function httpDateMs(text: string): number | undefined {
  const ms = /^[A-Z][a-z]+, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
