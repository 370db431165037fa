import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { clientPrefix } from './client-address.ts'
import { Problem } from './problem.ts'
import { limitItem, policyItem } from './rate-limit-headers.ts'

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
export function rateLimiter(limit: RateLimit): RateLimiter {
  const count = windowsOf(limit)
  return request => {
    const window = count(request)
    return window.requests > limit.max ? Math.max(1, secondsLeft(window)) : undefined
  }
}

/**
 * The same as a hook, which refuses before anything else in the request is looked at.
 *
 * @param name of the limit; if given, the reply's headers say what is left of it
 */
export function rateLimit({ name, ...limit }: RateLimit & { name?: string }): onRequestHookHandler {
  const count = windowsOf(limit)
  const { max, windowMs } = limit
  const policy = name && policyItem(name, { quota: max, windowSeconds: windowMs / 1000 })
  return (request, reply, done) => {
    const window = count(request)
    const seconds = secondsLeft(window)
    if (policy) {
      reply.header('ratelimit-policy', policy)
      reply.header('ratelimit', limitItem(name, { left: Math.max(0, max - window.requests), seconds }))
    }
    if (window.requests <= max) return done()
    done(new Problem('rate_limited', { retryAfterSeconds: Math.max(1, seconds) }))
  }
}

const secondsLeft = ({ endsAt }: Window): number => Math.ceil((endsAt - performance.now()) / 1000)

/** Counts a request, and returns its client's window. */
function windowsOf({ windowMs, keyOf = clientPrefix }: RateLimit): (request: FastifyRequest) => Window {
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
    return window
  }
}

function forgetEnded(windows: Map<string, Window>, now: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > now && windows.size <= KEYS_MAX) return
    windows.delete(key)
  }
}
