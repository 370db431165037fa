import { type ReviewReason, UNAVAILABLE_REASONS } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../../../platform/http/problem.ts'
import { reviewed } from '../../../platform/lib/diagnostics.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { Fetched, FetchedPage, FetchPage } from '../page.ts'
import {
  type CannotTell,
  cannotTell,
  type Opinion,
  PASS,
  type Passed,
  type Reject,
  type Verdict,
  verdictOf,
} from '../verdict.ts'
import { isAdmitted, type Judged } from './admitted.ts'
import { CircuitBreaker, type CircuitBreakerLimits } from './remote-service.ts'

/** A judge of pages. */
export interface Reviewer {
  /** The name in `REVIEWERS`, logs and decisions. */
  name: string
  /** Changes with every change of its rules. */
  version: string
  /**
   * Returns an opinion about a page. If it throws, that counts as "cannot tell". It should stop on the signal, because later
   * answers are ignored.
   */
  review(page: FetchedPage, destination: Destination, signal: AbortSignal): Opinion | Promise<Opinion>
  /** Returns what the opinion depends on. Without this method, opinions are not cached. */
  cacheKey?(page: FetchedPage, destination: Destination): string
  /** Replaces the default time limit, cache and pause. */
  limits?: Partial<CircuitBreakerLimits>
  /** Whether it calls another server. Such reviewers run last, and concurrently. */
  isOnline?: boolean
  /** Loads the reviewer's data. @throws Error in one line if the reviewer cannot work without it */
  open?(): Promise<void>
  /** Starts to watch the reviewer's lists. `warn` notifies the operator that a list is missing or old. */
  start?(log: ReviewLog, warn?: () => void): void
  /** Returns the state of the reviewer's lists, if it reads any. */
  lists?(now: number): ListState[]
  close?(): Promise<void>
}

export type ReviewLog = Pick<FastifyBaseLogger, 'warn' | 'info'>

/** A reviewer, and whether its opinion decides or is only recorded. */
export interface ChosenReviewer {
  reviewer: Reviewer
  decides: boolean
}

/** The result of all reviewers together, with each one's verdict for the record. */
export type Review = (Passed | Reject | CannotTell) & { verdicts: readonly Verdict[] }

type GuardedReviewer = ChosenReviewer & { breaker: CircuitBreaker }

export class Reviewers {
  readonly #chosen: readonly GuardedReviewer[]
  #log: ReviewLog | undefined

  constructor(chosen: readonly ChosenReviewer[]) {
    this.#chosen = chosen.map(each => {
      const { isOnline, limits } = each.reviewer
      // A pause protects against outages of other servers. If an offline reviewer fails for one page, it can still
      // judge the others.
      const unlimited = isOnline ? {} : { failuresMax: Number.POSITIVE_INFINITY }
      return { ...each, breaker: new CircuitBreaker({ ...unlimited, ...limits }) }
    })
  }

  /** Opens all reviewers. @throws Error in one line if a reviewer cannot work */
  async open(): Promise<this> {
    for (const { reviewer } of this.#chosen) await reviewer.open?.()
    return this
  }

  start(log: ReviewLog, warn?: () => void): void {
    this.#log = log
    for (const { reviewer } of this.#chosen) reviewer.start?.(log, warn)
  }

  lists(now: number): ListState[] {
    return this.#chosen.flatMap(({ reviewer }) => reviewer.lists?.(now) ?? [])
  }

  /** Asks each reviewer about one page, whatever the others answer, to find out whether it works. */
  askEach(page: FetchedPage, destination: Destination) {
    return Promise.all(
      this.#chosen.map(async ({ reviewer, decides, breaker }) => ({
        name: reviewer.name,
        decides,
        opinion: await breaker.run(undefined, signal => reviewer.review(page, destination, signal)),
      })),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#chosen.map(({ reviewer }) => reviewer.close?.()))
  }

  /**
   * Asks the offline reviewers in order, up to the first refusal. Then asks the online ones at the same time, so that
   * no other server learns of a page that is refused anyway. All reviewers that decide must pass the page.
   *
   * A refusal takes precedence over "cannot tell", because a retry would be refused, too. Without a refusal, a single
   * "cannot tell" is the outcome, so that no outage lets a page through. A reviewer that only flags never decides: its findings and
   * failures are logged. Never throws.
   *
   * @param admits refusals that are only recorded, because an appeal reversed them
   */
  async review(page: FetchedPage, destination: Destination, admits: readonly Judged[] = []): Promise<Review> {
    const verdicts: Verdict[] = []
    const unsure: CannotTell[] = []
    const isAdvice = (by: { name: string; version: string; decides: boolean }, { reason, evidence = {} }: Reject) =>
      !by.decides || isAdmitted(admits, { reviewer: by.name, version: by.version, reason, evidence })
    /** @returns its refusal */
    const ask = async ({ reviewer, decides, breaker }: GuardedReviewer) => {
      const { name, version } = reviewer
      const startedAt = performance.now()
      const own = await breaker.run(reviewer.cacheKey?.(page, destination), signal =>
        reviewer.review(page, destination, signal),
      )
      reviewed.publish({ reviewer: name, ms: performance.now() - startedAt })
      const opinion = own.verdict === 'reject' && isAdvice({ name, version, decides }, own) ? asFlag(own) : own
      if (opinion.verdict === 'cannot_tell' && !decides) {
        this.#log?.warn({ reviewer: name, why: opinion.why }, 'a reviewer that only flags could not tell')
        return undefined
      }
      verdicts.push(verdictOf(name, version, opinion))
      if (opinion.verdict === 'cannot_tell') unsure.push(cannotTell(`${name}: ${opinion.why}`))
      if (opinion.verdict === 'flag') {
        const { reason, evidence } = opinion
        this.#log?.info({ reviewer: name, host: destination.hostname, reason, evidence }, 'page flagged')
      }
      return opinion.verdict === 'reject' ? opinion : undefined
    }
    for (const offline of this.#chosen.filter(({ reviewer }) => !reviewer.isOnline)) {
      const refusal = await ask(offline)
      if (refusal) return { ...refusal, verdicts }
    }
    const online = await Promise.all(this.#chosen.filter(({ reviewer }) => reviewer.isOnline).map(ask))
    const outcome = online.find(refusal => refusal !== undefined) ?? unsure[0] ?? PASS
    return { ...outcome, verdicts }
  }
}

const asFlag = ({ reason, detail, evidence }: Reject): Opinion => ({
  verdict: 'flag',
  reason,
  evidence: { ...evidence, ...(detail !== undefined && { detail }) },
})

export interface ListState {
  path: string
  names: number
  /** Whether the last reading succeeded. */
  isRead: boolean
  /** When the file was last written; undefined if it was never read, or is so short that a person writes it. */
  downloadedAt: number | undefined
  /** The problem, in a sentence that says what to do. */
  problem: string | undefined
}

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: Pick<Reviewers, 'review'>
}

/** Seconds to wait before a retry if a page could not be read or reviewed. */
export const REVIEW_RETRY_SECONDS = 30

/** The facts of a review, as recorded with the decision. Plain JSON. */
export interface ReviewFacts {
  /** The verdicts that led to the outcome: at least one, in the order in which they were given. */
  verdicts: readonly Verdict[]
  /** The final address after redirects, and the SHA-256 of its body. Absent if nothing could be fetched. */
  fetched?: { url: string; sha256: string }
  /** The reasons of refusals that were ignored, because an appeal reversed them. */
  admits?: readonly ReviewReason[]
}

/** The fetched page, or why there is none, and the facts. */
export type Reviewed = (Fetched | Reject | CannotTell) & { facts: ReviewFacts }

interface ReviewRequest {
  /** The networks of the client who asked, broadest first. */
  networks: readonly string[]
  /** Refusals to ignore, because an appeal reversed them. */
  admits?: readonly Judged[]
}

/** Fetches and reviews a destination's page. No page is listed without this. Never throws. */
export async function reviewDestination(
  { fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
  { networks, admits = [] }: ReviewRequest,
): Promise<Reviewed> {
  const startedAt = performance.now()
  const fetched = await fetchPage(destination, networks)
  reviewed.publish({ reviewer: 'fetcher', ms: performance.now() - startedAt })
  const read = verdictOf('fetcher', '1', fetched.verdict === 'pass' ? { verdict: 'pass' } : fetched)
  if (fetched.verdict !== 'pass') return { ...fetched, facts: { verdicts: [read] } }
  const { verdicts, ...outcome } = await reviewers.review(fetched.page, destination, admits)
  const facts = {
    verdicts: [read, ...verdicts],
    fetched: { url: fetched.page.url, sha256: fetched.bodyHash },
    ...(admits.length > 0 && { admits: [...new Set(admits.map(({ reason }) => reason))] }),
  }
  return outcome.verdict === 'pass' ? { ...fetched, facts } : { ...outcome, facts }
}

/** Why a review has no outcome, if no connection to the website came about. */
export class NotConnected extends Error {}

/** Returns the error for a review without an outcome. */
export function reviewUnavailable(
  { why, fault = 'reviewer_unavailable', detail, isUnconnected }: CannotTell,
  retryAfterSeconds = REVIEW_RETRY_SECONDS,
): Problem {
  const cause = isUnconnected ? new NotConnected(why) : new Error(why)
  return new Problem('review_unavailable', {
    retryAfterSeconds,
    reason: fault,
    detail: detail ?? UNAVAILABLE_REASONS[fault],
    cause,
  })
}

const RETRY_MAX_SECONDS = 60 * 60

/** Returns the seconds until a website that timed out may be fetched again: longer after each time. */
export const retrySecondsAfter = (timeouts: number): number =>
  Math.min(RETRY_MAX_SECONDS, REVIEW_RETRY_SECONDS * 2 ** Math.max(0, timeouts - 1))

/** Returns the error for a website that must not be fetched before `retryAt`; undefined if it may be fetched. */
export function notYet(retryAt: number | null | undefined, now: number): Problem | undefined {
  if (!retryAt) return undefined
  const seconds = Math.ceil((retryAt - now) / 1000)
  // The time can be further away if it was set before this clock was set back.
  if (seconds <= 0 || seconds > RETRY_MAX_SECONDS) return undefined
  const why = 'the website did not answer in time, and is left alone for a while'
  const detail = 'The website did not answer in time lately, so it is left alone for a while.'
  return reviewUnavailable(cannotTell(why, 'site_slow', detail), seconds)
}
