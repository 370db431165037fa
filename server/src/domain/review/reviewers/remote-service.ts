import { LRUCache } from 'lru-cache'
import { atMost } from '../../../platform/lib/cache.ts'
import { readAtMost } from '../../../platform/lib/read-at-most.ts'
import { within } from '../../../platform/lib/time.ts'
import { cannotTell, type Opinion } from '../verdict.ts'

export interface CautionLimits {
  timeoutMs: number
  /** How long, and how many, answers are cached. Refusals never are, because something listed may no longer be. */
  rememberedMs: number
  rememberedMax: number
  /** After this many consecutive failures, the reviewer is paused for a while, so that an outage costs no time. */
  failuresMax: number
  restMs: number
}

const USUAL: CautionLimits = {
  timeoutMs: 2_000,
  rememberedMs: 10 * 60_000,
  rememberedMax: 5_000,
  failuresMax: 5,
  restMs: 30_000,
}

/** The reviewer works but can't judge this page, perhaps because its author prevents it. Not counted as a failure. */
class Unanswerable extends Error {}

/**
 * Limits how one reviewer is asked: within its time, once about the same thing, and not repeatedly while it is
 * unavailable.
 */
export class Caution {
  readonly #limits: CautionLimits
  readonly #clock: () => number
  readonly #remembered: LRUCache<string, Opinion>
  #failures = 0
  #pausedUntil = 0

  constructor(limits: Partial<CautionLimits> = {}, clock: () => number = () => performance.now()) {
    this.#limits = { ...USUAL, ...limits }
    this.#clock = clock
    const { rememberedMs: ttl, rememberedMax } = this.#limits
    // Without a resolution, the cache would set a timer for each millisecond.
    this.#remembered = new LRUCache({ ...atMost(rememberedMax), ttl, ttlResolution: 0, perf: { now: clock } })
  }

  /** @param about what the answer depends on; undefined prevents caching. Never throws. */
  async ask(about: string | undefined, review: (signal: AbortSignal) => Opinion | Promise<Opinion>): Promise<Opinion> {
    const known = about === undefined ? undefined : this.#remembered.get(about)
    if (known) return known
    if (this.#clock() < this.#pausedUntil) return cannotTell('it failed repeatedly and is paused for a while')
    const { opinion, isOut } = await this.#within(review)
    if (isOut) this.#fail()
    else this.#failures = 0
    const isLasting = opinion.verdict !== 'reject' && opinion.verdict !== 'cannot_tell'
    if (about !== undefined && isLasting) this.#remembered.set(about, opinion)
    return opinion
  }

  /** After a pause, a single failure begins the next one. */
  #fail(): void {
    this.#failures++
    if (this.#failures >= this.#limits.failuresMax) this.#pausedUntil = this.#clock() + this.#limits.restMs
  }

  /** `isOut`: the reviewer gave no answer, and may give none about other pages. */
  async #within(
    review: (signal: AbortSignal) => Opinion | Promise<Opinion>,
  ): Promise<{ opinion: Opinion; isOut: boolean }> {
    const { timeoutMs } = this.#limits
    const stopping = new AbortController()
    try {
      const answer = review(stopping.signal)
      if (!(answer instanceof Promise)) return { opinion: answer, isOut: false }
      const late = () => {
        throw new Error(`no answer within ${timeoutMs} ms`)
      }
      return { opinion: await within(timeoutMs, answer, late), isOut: false }
    } catch (error) {
      stopping.abort()
      const opinion = cannotTell(error instanceof Error ? error.message : String(error))
      return { opinion, isOut: !(error instanceof Unanswerable) }
    }
  }
}

const BODY_MAX_BYTES = 256 * 1024

/** Statuses caused by the question: a picture that the endpoint can't read, or an address that is too long. */
const QUESTION_FAULTS = [400, 413, 414, 415, 422]

/**
 * Sends one request and returns its reply from JSON.
 *
 * @throws Error if there is none: another status than 200, a redirect, another type, too long. The message never
 * repeats what was sent or answered.
 */
export async function askJson(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<unknown> {
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
