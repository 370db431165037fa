import { LRUCache } from 'lru-cache'
import { cannotTell, type Opinion } from '../verdict.ts'

export interface CautionLimits {
  timeoutMs: number
  /** How long an answer is remembered, and how many are. Refusals never are: what was listed may no longer be. */
  rememberedMs: number
  rememberedMax: number
  /** After so many failures in a row, nobody is asked for a while, so that an outage costs no time. */
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

/** Nobody can answer this question, though the reviewer works: whoever made the page may have seen to that. */
class Unanswerable extends Error {}

/** How one reviewer is asked: within its time, not twice about the same, and not again and again while it is out. */
export class Caution {
  readonly #limits: CautionLimits
  readonly #clock: () => number
  readonly #remembered: LRUCache<string, Opinion>
  #failures = 0
  #restsUntil = 0

  constructor(limits: Partial<CautionLimits> = {}, clock: () => number = () => performance.now()) {
    this.#limits = { ...USUAL, ...limits }
    this.#clock = clock
    const { rememberedMs: ttl, rememberedMax: max } = this.#limits
    // Without a resolution, the cache would set a timer to hold the time for a millisecond.
    this.#remembered = new LRUCache({ max, ttl, ttlResolution: 0, perf: { now: clock } })
  }

  /** @param about what the answer depends on; undefined means that it cannot be remembered. Never throws. */
  async ask(about: string | undefined, review: (signal: AbortSignal) => Opinion | Promise<Opinion>): Promise<Opinion> {
    const known = about === undefined ? undefined : this.#remembered.get(about)
    if (known) return known
    if (this.#clock() < this.#restsUntil) return cannotTell('it failed repeatedly and rests for a while')
    const { opinion, isOut } = await this.#within(review)
    if (isOut) this.#fail()
    else this.#failures = 0
    const isLasting = opinion.verdict !== 'reject' && opinion.verdict !== 'cannot_tell'
    if (about !== undefined && isLasting) this.#remembered.set(about, opinion)
    return opinion
  }

  /** After the rest, a single further failure begins the next. */
  #fail(): void {
    this.#failures++
    if (this.#failures >= this.#limits.failuresMax) this.#restsUntil = this.#clock() + this.#limits.restMs
  }

  /** `isOut`: the reviewer gave no answer, and perhaps will give none to others. */
  async #within(
    review: (signal: AbortSignal) => Opinion | Promise<Opinion>,
  ): Promise<{ opinion: Opinion; isOut: boolean }> {
    const { timeoutMs } = this.#limits
    const stopping = new AbortController()
    const late = Promise.withResolvers<never>()
    try {
      const answer = review(stopping.signal)
      if (!(answer instanceof Promise)) return { opinion: answer, isOut: false }
      const timer = setTimeout(() => {
        late.reject(new Error(`no answer within ${timeoutMs} ms`))
        stopping.abort()
      }, timeoutMs)
      const opinion = await Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
      return { opinion, isOut: false }
    } catch (error) {
      const opinion = cannotTell(error instanceof Error ? error.message : String(error))
      return { opinion, isOut: !(error instanceof Unanswerable) }
    }
  }
}

const BODY_MAX_BYTES = 256 * 1024

/** Statuses that blame the question: a picture that the endpoint can't read, or an address that is too long. */
const QUESTION_FAULTS = [400, 413, 414, 415, 422]

/**
 * Sends one request and reads its reply as JSON.
 *
 * @throws Error if there is none: another status than 200, a redirect, another type, too long. The message never repeats
 * what was sent or answered.
 */
export async function askJson(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.status !== 200) {
    await response.body?.cancel()
    const Fault = QUESTION_FAULTS.includes(response.status) ? Unanswerable : Error
    throw new Fault(`answered with status ${response.status}`)
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > BODY_MAX_BYTES) throw new Error('answered with too much')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('answered with something other than JSON')
  }
}

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
