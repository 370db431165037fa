// Everywhere, a number that names a time, such as `now` or `publishedAt`, is in Unix milliseconds.

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const TEN_MINUTES_MS = 10 * MINUTE_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Returns the UTC day of a time, as YYYY-MM-DD. */
export const utcDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)

/** Returns the UTC minute of a time, as YYYY-MM-DD HH:MM. */
export const utcMinute = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')

/** Returns the next UTC midnight after a time. */
export const nextMidnight = (timeMs: number): number => (Math.floor(timeMs / DAY_MS) + 1) * DAY_MS

/** Returns whole seconds until the next UTC midnight, at least 1: for Retry-After. */
export const secondsToMidnight = (timeMs: number): number => Math.ceil((nextMidnight(timeMs) - timeMs) / 1000)

/** The beginning of a minute. Pages say no more of the time, so all requests of a minute share a page. */
export const minuteOf = (timeMs: number): number => Math.floor(timeMs / MINUTE_MS) * MINUTE_MS

export const daysMs = (days: number): number => days * DAY_MS

/** Returns a function that calls another one, but at most once in a time. */
export function atMostEvery<Args extends unknown[]>(
  ms: number,
  call: (...args: Args) => void,
): (...args: Args) => void {
  let calledAt = Number.NEGATIVE_INFINITY
  return (...args) => {
    const now = performance.now()
    if (now - calledAt < ms) return
    calledAt = now
    call(...args)
  }
}

/** Returns whether a promise resolves. Never throws. */
export const succeeds = (running: Promise<unknown>): Promise<boolean> =>
  running.then(
    () => true,
    () => false,
  )

/**
 * Returns a promise's result, or that of `late` if it takes longer. If this process itself was blocked, a result that
 * has arrived counts.
 */
export function within<Result>(ms: number, running: Promise<Result>, late: () => Result): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => setImmediate(resolve), ms)
  return Promise.race([running, promise.then(late)]).finally(() => clearTimeout(timer))
}
