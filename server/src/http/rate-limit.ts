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

/** What each client may do, counted in one place for all the ways in which it can ask. */
export interface Allowance {
  /** If given, replies say in their headers what is left. */
  name?: string | undefined
  max: number
  windowMs: number
  /** Counts a request, and returns its client's window. */
  count(request: FastifyRequest): Window
}

export const allowance = ({ name, ...limit }: RateLimit & { name?: string }): Allowance => ({
  name,
  ...limit,
  count: windowsOf(limit),
})

/** Counts a request. @returns the refusal if it is one too many */
export function tooMany({ max, count }: Allowance, request: FastifyRequest): Problem | undefined {
  const window = count(request)
  return window.requests > max ? refusal(window) : undefined
}

/** Counts a request. @returns undefined to let it through, or the whole seconds until the next window */
export type RateLimiter = (request: FastifyRequest) => number | undefined

/**
 * Lets a client through `max` times in a window that begins with its first request. Counts in memory, since a durable
 * write for each refused request would be an attack on ourselves.
 */
export function rateLimiter(limit: RateLimit): RateLimiter {
  const own = allowance(limit)
  return request => tooMany(own, request)?.retryAfterSeconds
}

/** An allowance as a hook, which refuses before anything else in the request is looked at. */
export function limitRate({ name, max, windowMs, count }: Allowance): onRequestHookHandler {
  const policy = name && policyItem(name, { quota: max, windowSeconds: windowMs / 1000 })
  return (request, reply, done) => {
    const window = count(request)
    if (policy) {
      const left = { left: Math.max(0, max - window.requests), seconds: secondsLeft(window) }
      reply.header('ratelimit-policy', policy).header('ratelimit', limitItem(name, left))
    }
    done(window.requests > max ? refusal(window) : undefined)
  }
}

/** The same with an allowance of its own. */
export const rateLimit = (limit: RateLimit & { name?: string }): onRequestHookHandler =>
  limitRate(allowance(limit))

const secondsLeft = ({ endsAt }: Window): number => Math.ceil((endsAt - performance.now()) / 1000)

const refusal = (window: Window) =>
  new Problem('rate_limited', { retryAfterSeconds: Math.max(1, secondsLeft(window)) })

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
