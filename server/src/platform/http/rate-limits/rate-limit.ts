import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify'
import { clientPrefix } from '../client-address.ts'
import { Problem } from '../problem.ts'
import type { Allowances, Counted } from './counter.ts'
import type { Limit } from './lease-store.ts'

interface RateLimit extends Limit {
  /** What to count by; the client, unless given. */
  keyOf?: (request: FastifyRequest) => string
  /** Whether replies contain headers with what is left. */
  inHeaders?: boolean
}

/** What each client may do, counted in one place for all interfaces. */
export interface Allowance extends Limit {
  inHeaders: boolean
  /** Counts a request. @returns a promise only if other processes must be asked; it never rejects */
  count(request: FastifyRequest): Counted | Promise<Counted>
}

/** Allows a client `max` requests in a window that begins with its first request. */
export function allowance(
  allowances: Allowances,
  { keyOf = clientPrefix, inHeaders = false, ...limit }: RateLimit,
): Allowance {
  const counter = allowances.of(limit)
  return { ...limit, inHeaders, count: request => counter.count(keyOf(request)) }
}

/** Counts a request. @throws Problem rate_limited if it is one too many */
export async function refuseTooMany({ count }: Allowance, request: FastifyRequest): Promise<void> {
  const counted = await count(request)
  if (counted.isRefused) throw refusal(secondsLeft(counted))
}

/**
 * Counts a request for each allowance, up to the first that refuses it, and says so in `Retry-After`.
 *
 * @returns undefined to allow it, or the seconds to wait
 */
export async function refusedBy(
  limits: readonly Allowance[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<number | undefined> {
  for (const { count } of limits) {
    const counted = await count(request)
    if (!counted.isRefused) continue
    const seconds = Math.max(1, secondsLeft(counted))
    reply.header('retry-after', String(seconds))
    return seconds
  }
  return undefined
}

/** Returns an allowance as a hook, which refuses before anything else in the request is read. */
export function limitRate({ name, max, windowMs, inHeaders, count }: Allowance): onRequestHookHandler {
  const policy = policyItem(name, { quota: max, windowSeconds: windowMs / 1000 })
  const answer = (counted: Counted, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    const seconds = secondsLeft(counted)
    if (inHeaders) {
      reply.header('ratelimit-policy', policy).header('ratelimit', limitItem(name, { left: counted.left, seconds }))
    }
    done(counted.isRefused ? refusal(seconds) : undefined)
  }
  return (request, reply, done) => {
    const counted = count(request)
    if (counted instanceof Promise) void counted.then(known => answer(known, reply, done))
    else answer(counted, reply, done)
  }
}

/** Returns such a hook with an allowance of its own. */
export const rateLimit = (allowances: Allowances, limit: RateLimit): onRequestHookHandler =>
  limitRate(allowance(allowances, limit))

const secondsLeft = ({ endsAt }: Counted): number => Math.max(0, Math.ceil((endsAt - performance.now()) / 1000))

const refusal = (seconds: number) => new Problem('rate_limited', { retryAfterSeconds: Math.max(1, seconds) })

/*
 * The fields RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11): lists of structured fields,
 * whose items have the names of the limits in the capabilities. A comma joins the items of a field.
 */

/** An item of RateLimit-Policy. It stays the same while the service runs. */
export const policyItem = (name: string, { quota, windowSeconds }: { quota: number; windowSeconds: number }): string =>
  `"${name}";q=${quota};w=${windowSeconds}`

/** Returns an item of RateLimit. @param seconds whole, until the limit is reset */
export const limitItem = (name: string, { left, seconds }: { left: number; seconds: number }): string =>
  `"${name}";r=${left};t=${seconds}`
