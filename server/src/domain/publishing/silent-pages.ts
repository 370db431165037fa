import { Problem } from '../../platform/http/problem.ts'
import { notYet, retrySecondsAfter, WebsiteTimedOut } from '../review/reviewers/reviewers.ts'

/** How many pages to remember. The one that timed out longest ago is dropped first. */
const PAGES_MAX = 10_000

/**
 * Pages that timed out in a check. After each timeout, a page is left alone for longer. Publishing stores this in the
 * attempt's row. A check writes nothing, so a restart forgets it.
 */
export class SilentPages {
  readonly #pages = new Map<string, { timeouts: number; retryAt: number }>()

  /** Runs `read` unless the page must be left alone. @throws Problem review_unavailable, or whatever `read` throws */
  async guard<Result>(page: string, clock: () => number, read: () => Promise<Result>): Promise<Result> {
    const tooEarly = notYet(this.#pages.get(page)?.retryAt, clock())
    if (tooEarly) throw tooEarly
    try {
      const result = await read()
      this.#pages.delete(page)
      return result
    } catch (error) {
      if (!(error instanceof Problem && error.cause instanceof WebsiteTimedOut)) throw error
      const retryAfterSeconds = this.#note(page, clock())
      throw new Problem('review_unavailable', { retryAfterSeconds, cause: error.cause })
    }
  }

  /** @returns the seconds for which the page is left alone */
  #note(page: string, now: number): number {
    const timeouts = (this.#pages.get(page)?.timeouts ?? 0) + 1
    const seconds = retrySecondsAfter(timeouts)
    this.#pages.delete(page)
    this.#pages.set(page, { timeouts, retryAt: now + seconds * 1000 })
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest)
    return seconds
  }
}
