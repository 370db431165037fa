import { LRUCache } from 'lru-cache'
import { atMost } from '../../../platform/lib/cache.ts'
import { readAtMost } from '../../../platform/lib/read-at-most.ts'
import { TEN_MINUTES_MS, within } from '../../../platform/lib/time.ts'
import { cannotTell, type Opinion } from '../verdict.ts'

export interface CircuitBreakerLimits {
  timeoutMs: number
  /** How long answers are cached, and how many. Refusals are not cached, because a host may leave a list at any time. */
  cacheMs: number
  cacheMax: number
  /** After this many consecutive failures, the reviewer is paused for `pauseMs`, so that an outage costs no time. */
  failuresMax: number
  pauseMs: number
}

const DEFAULT_LIMITS: CircuitBreakerLimits = {
  timeoutMs: 2_000,
  cacheMs: TEN_MINUTES_MS,
  cacheMax: 5_000,
  failuresMax: 5,
  pauseMs: 30_000,
}

/** The reviewer works but can't judge this page, perhaps because its author prevents it. Not counted as a failure. */
class Unanswerable extends Error {}

/**
 * Guards the calls of one reviewer: limits their time, caches their answers, and pauses the reviewer after consecutive
 * failures.
 */
export class CircuitBreaker {
  readonly #limits: CircuitBreakerLimits
  readonly #clock: () => number
  readonly #cache: LRUCache<string, Opinion>
  #failures = 0
  #pausedUntil = 0

  constructor(limits: Partial<CircuitBreakerLimits> = {}, clock: () => number = () => performance.now()) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#clock = clock
    const { cacheMs: ttl, cacheMax } = this.#limits
    // Without a resolution, the cache would set a timer for each millisecond.
    this.#cache = new LRUCache({ ...atMost(cacheMax), ttl, ttlResolution: 0, perf: { now: clock } })
  }

  /** @param key what the answer depends on; undefined prevents caching. Never throws. */
  async run(key: string | undefined, review: (signal: AbortSignal) => Opinion | Promise<Opinion>): Promise<Opinion> {
    const known = key === undefined ? undefined : this.#cache.get(key)
    if (known) return known
    if (this.#clock() < this.#pausedUntil) return cannotTell('it failed repeatedly and is paused for a while')
    const { opinion, hasFailed } = await this.#answerOf(review)
    if (hasFailed) this.#countFailure()
    else this.#failures = 0
    const isLasting = opinion.verdict !== 'reject' && opinion.verdict !== 'cannot_tell'
    if (key !== undefined && isLasting) this.#cache.set(key, opinion)
    return opinion
  }

  /** After a pause, a single failure begins the next one. */
  #countFailure(): void {
    this.#failures++
    if (this.#failures >= this.#limits.failuresMax) this.#pausedUntil = this.#clock() + this.#limits.pauseMs
  }

  /** `hasFailed`: the reviewer gave no answer, so it may fail for other pages, too. */
  async #answerOf(
    review: (signal: AbortSignal) => Opinion | Promise<Opinion>,
  ): Promise<{ opinion: Opinion; hasFailed: boolean }> {
    const { timeoutMs } = this.#limits
    const stopping = new AbortController()
    try {
      const answer = review(stopping.signal)
      if (!(answer instanceof Promise)) return { opinion: answer, hasFailed: false }
      const late = () => {
        throw new Error(`no answer within ${timeoutMs} ms`)
      }
      return { opinion: await within(timeoutMs, answer, late), hasFailed: false }
    } catch (error) {
      stopping.abort()
      const opinion = cannotTell(error instanceof Error ? error.message : String(error))
      return { opinion, hasFailed: !(error instanceof Unanswerable) }
    }
  }
}

const BODY_MAX_BYTES = 256 * 1024

/** Statuses with a cause in the request: a picture that the endpoint can't read, or an address that is too long. */
const QUESTION_FAULTS = [400, 413, 414, 415, 422]

/**
 * Sends one request and returns its reply from JSON.
 *
 * @throws Error if there is none: another status than 200, a redirect, another type, too long. The message never
 * repeats what was sent or answered.
 */
export async function requestJson(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.status !== 200) {
    await response.body?.cancel()
    const Fault = QUESTION_FAULTS.includes(response.status) ? Unanswerable : Error
    throw new Fault(`answered with status ${response.status}`)
  }
  const body = await readAtMost(BODY_MAX_BYTES, response.body, 'answered with too many bytes')
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new Error('answered with something other than JSON')
  }
}

/** Returns the fields of an object; undefined for anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
