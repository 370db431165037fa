import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { clientPrefix } from './client-address.ts'
import { Problem } from './problem.ts'

/** How many clients (or other keys) to remember. The one whose window began first is forgotten first. */
const KEYS_MAX = 100_000

interface RateLimit {
  max: number
  windowMs: number
  /** What to count by; the client, unless given. */
  keyOf?: ((request: FastifyRequest) => string) | undefined
}

interface Window {
  requests: number
  /** On the monotonic clock, so that setting the time of day opens no window. */
  endsAt: number
}

/** Counts a request. @returns undefined to let it through, or the whole seconds until the next window */
export type RateLimiter = (request: FastifyRequest) => number | undefined

/**
 * Lets a client through `max` times in a window that begins with its first request. Counts in memory, since a durable
 * write for each refused request would be an attack on ourselves.
 */
export function rateLimiter({ max, windowMs, keyOf = clientPrefix }: RateLimit): RateLimiter {
  // In the order in which windows began, so that the first to end comes first.
  const windows = new Map<string, Window>()
  return request => {
    const key = keyOf(request)
    const now = performance.now()
    let window = windows.get(key)
    if (!window || window.endsAt <= now) {
      window = { requests: 0, endsAt: now + windowMs }
      windows.delete(key)
      windows.set(key, window)
      forgetEnded(windows, now)
    }
    window.requests++
    return window.requests > max ? Math.max(1, Math.ceil((window.endsAt - now) / 1000)) : undefined
  }
}

/** Counts a request. @returns the refusal if it is one too many */
export function tooMany(limiter: RateLimiter, request: FastifyRequest): Problem | undefined {
  const retryAfterSeconds = limiter(request)
  return retryAfterSeconds === undefined ? undefined : new Problem('rate_limited', { retryAfterSeconds })
}

/** A limiter as a hook, which refuses before anything else in the request is looked at. */
export const limitRate =
  (limiter: RateLimiter): onRequestHookHandler =>
  (request, _reply, done) =>
    done(tooMany(limiter, request))

/** `limitRate` with a limiter of its own. */
export const rateLimit = (limit: RateLimit): onRequestHookHandler => limitRate(rateLimiter(limit))

function forgetEnded(windows: Map<string, Window>, now: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > now && windows.size <= KEYS_MAX) return
    windows.delete(key)
  }
}
