import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { clientPrefix } from './client-address.ts'
import { Problem } from './problem.ts'

/** Clients, or what else is counted, remembered at once; the one whose window began first is forgotten first. */
const KEYS_MAX = 100_000

interface RateLimit {
  max: number
  windowMs: number
  /** What is counted by; without it, the client. */
  keyOf?: ((request: FastifyRequest) => string) | undefined
}

interface Window {
  requests: number
  /** On the monotonic clock: setting the time of day opens no window. */
  endsAt: number
}

/** Counts a request. @returns in how many whole seconds the next window begins, or undefined to go on */
export type RateLimiter = (request: FastifyRequest) => number | undefined

/**
 * Lets a client through `max` times in a window that begins with its first request, and says when the next one begins.
 * Kept in memory, since a durable write for each refused request would be an attack on ourselves.
 */
export function rateLimiter({ max, windowMs, keyOf = clientPrefix }: RateLimit): RateLimiter {
  // In the order in which the windows began, so that those that end first stand first.
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

/** The same as a hook, which refuses before anything else of the request is looked at. */
export function rateLimit(limit: RateLimit): onRequestHookHandler {
  const secondsToWait = rateLimiter(limit)
  return (request, _reply, done) => {
    const retryAfterSeconds = secondsToWait(request)
    done(retryAfterSeconds === undefined ? undefined : new Problem('rate_limited', { retryAfterSeconds }))
  }
}

function forgetEnded(windows: Map<string, Window>, now: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > now && windows.size <= KEYS_MAX) return
    windows.delete(key)
  }
}
