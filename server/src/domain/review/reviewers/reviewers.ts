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
import { Caution, type CautionLimits } from './remote-service.ts'

/** A judge of pages. */
export interface Reviewer {
  /** The name in `REVIEWERS`, logs and decisions. */
  name: string
  /** Changes with every change of its rules. */
  version: string
  /**
   * Returns its opinion. If it throws, that counts as "cannot tell". It should stop on the signal, because later
   * answers are ignored.
   */
  review(page: FetchedPage, destination: Destination, signal: AbortSignal): Opinion | Promise<Opinion>
  /** What its answer depends on, for the cache. Without this, it is asked every time. */
  about?(page: FetchedPage, destination: Destination): string
  /** Its time limit, cache and circuit breaker, if not the defaults. */
  limits?: Partial<CautionLimits>
  /** Whether it asks another server. Such reviewers come last, and are asked at the same time. */
  isOnline?: boolean
  /** Loads what it needs. @throws Error in one line if it cannot do its work at all */
  open?(): Promise<void>
  /** Follows its lists, once there is a log. `warn` notifies the operator that one is missing or old. */
  start?(log: ReviewLog, warn?: () => void): void
  /** Returns the state of its lists, if it reads any. */
  lists?(now: number): ListState[]
  close?(): Promise<void>
}

export type ReviewLog = Pick<FastifyBaseLogger, 'warn' | 'info'>

/** A reviewer, and whether its opinion decides or is only recorded. */
export interface Seat {
  reviewer: Reviewer
  decides: boolean
}

/** The result of all reviewers together, with each one's verdict for the record. */
export type Review = (Passed | Reject | CannotTell) & { verdicts: readonly Verdict[] }

type Seated = Seat & { caution: Caution }

export class Reviewers {
  readonly #seats: readonly Seated[]
  #log: ReviewLog | undefined

  constructor(seats: readonly Seat[]) {
    this.#seats = seats.map(seat => {
      const { isOnline, limits } = seat.reviewer
      // A pause protects against outages of other servers. If an offline reviewer fails for one page, it can still
      // judge the others.
      const untiring = isOnline ? {} : { failuresMax: Number.POSITIVE_INFINITY }
      return { ...seat, caution: new Caution({ ...untiring, ...limits }) }
    })
  }

  /** Opens all reviewers. @throws Error in one line if one cannot work at all */
  async open(): Promise<this> {
    for (const { reviewer } of this.#seats) await reviewer.open?.()
    return this
  }

  start(log: ReviewLog, warn?: () => void): void {
    this.#log = log
    for (const { reviewer } of this.#seats) reviewer.start?.(log, warn)
  }

  lists(now: number): ListState[] {
    return this.#seats.flatMap(({ reviewer }) => reviewer.lists?.(now) ?? [])
  }

  /** Asks each reviewer about one page, whatever the others answer, to find out whether it works. */
  askEach(page: FetchedPage, destination: Destination) {
    return Promise.all(
      this.#seats.map(async ({ reviewer, decides, caution }) => ({
        name: reviewer.name,
        decides,
        opinion: await caution.ask(undefined, signal => reviewer.review(page, destination, signal)),
      })),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#seats.map(({ reviewer }) => reviewer.close?.()))
  }

  /**
   * Asks the offline reviewers in order, up to the first refusal. Then asks the online ones at the same time, so that
   * no other server learns of a page that is refused anyway. All reviewers that decide must pass the page.
   *
   * A refusal wins over "cannot tell", because the page would be refused later anyway. Otherwise, one "cannot tell" is
   * the answer, so that no outage lets a page through. A reviewer that only flags never decides: its findings and
   * failures are logged. Never throws.
   *
   * @param admits refusals that are only recorded, because an appeal reversed them
   */
  async review(page: FetchedPage, destination: Destination, admits: readonly Judged[] = []): Promise<Review> {
    const verdicts: Verdict[] = []
    const unsure: CannotTell[] = []
    const isNoted = (by: { name: string; version: string; decides: boolean }, { reason, evidence = {} }: Reject) =>
      !by.decides || isAdmitted(admits, { reviewer: by.name, version: by.version, reason, evidence })
    /** @returns its refusal */
    const ask = async ({ reviewer, decides, caution }: Seated) => {
      const { name, version } = reviewer
      const startedAt = performance.now()
      const given = await caution.ask(reviewer.about?.(page, destination), signal =>
        reviewer.review(page, destination, signal),
      )
      reviewed.publish({ reviewer: name, ms: performance.now() - startedAt })
      const opinion = given.verdict === 'reject' && isNoted({ name, version, decides }, given) ? noted(given) : given
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
    for (const seat of this.#seats.filter(({ reviewer }) => !reviewer.isOnline)) {
      const refusal = await ask(seat)
      if (refusal) return { ...refusal, verdicts }
    }
    const online = await Promise.all(this.#seats.filter(({ reviewer }) => reviewer.isOnline).map(ask))
    const outcome = online.find(refusal => refusal !== undefined) ?? unsure[0] ?? PASS
    return { ...outcome, verdicts }
  }
}

const noted = ({ reason, detail, evidence }: Reject): Opinion => ({
  verdict: 'flag',
  reason,
  evidence: { ...evidence, ...(detail !== undefined && { detail }) },
})

export interface ListState {
  path: string
  names: number
  /** Whether the last reading succeeded. */
  isRead: boolean
  /** When the file was last written; undefined if it was never read. */
  changedAt: number | undefined
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

/** A review without an outcome, because the website did not answer in time. */
export class WebsiteTimedOut extends Error {}

/** Returns the error for a review without an outcome. */
export function reviewUnavailable(
  { why, fault = 'reviewer_unavailable', detail }: CannotTell,
  retryAfterSeconds = REVIEW_RETRY_SECONDS,
): Problem {
  const cause = fault === 'site_slow' ? new WebsiteTimedOut(why) : new Error(why)
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
