import type { ReviewReason } from '@placard/contract'
import type { FastifyBaseLogger } from 'fastify'
import type { Destination } from '../destinations/destination.ts'
import {
  type CannotTell,
  cannotTell,
  type Opinion,
  PASS,
  type Passed,
  type Reject,
  type Verdict,
  verdictOf,
} from '../destinations/verdict.ts'
import { reviewed } from '../metrics/measured.ts'
import type { FetchedPage } from '../reading/page.ts'
import { Caution, type CautionLimits } from './caution.ts'

/** Somebody with an opinion on pages. */
export interface Reviewer {
  /** As `REVIEWERS`, logs and decisions spell it. */
  name: string
  /** Changes whenever its rules do. */
  version: string
  /** May throw, which counts as "cannot tell". Should stop on the signal, after which its answer is too late. */
  review(page: FetchedPage, destination: Destination, signal: AbortSignal): Opinion | Promise<Opinion>
  /** What its answer depends on, so that it can be remembered. Left out, it is asked every time. */
  about?(page: FetchedPage, destination: Destination): string
  /** Its time limit, cache and circuit breaker, where they are not the usual ones. */
  limits?: Partial<CautionLimits>
  /** Whether it asks somebody else over the network. Such reviewers come last, and are asked at the same time. */
  isOnline?: boolean
  /** Loads what it needs. @throws Error in one line if it cannot do its work at all */
  open?(): Promise<void>
  /** Follows its lists, from when there is a log. */
  start?(log: ReviewLog): void
  close?(): Promise<void>
}

export type ReviewLog = Pick<FastifyBaseLogger, 'warn' | 'info'>

/** A reviewer, and whether its opinion decides or is only noted. */
export interface Seat {
  reviewer: Reviewer
  decides: boolean
}

/** What all reviewers together say, with each one's verdict for the record. */
export type Review = (Passed | Reject | CannotTell) & { verdicts: readonly Verdict[] }

type Seated = Seat & { caution: Caution }

/** All reviewers of the service, in order. */
export class Reviewers {
  readonly #seats: readonly Seated[]
  #log: ReviewLog | undefined

  constructor(seats: readonly Seat[]) {
    this.#seats = seats.map(seat => {
      const { isOnline, limits } = seat.reviewer
      // Rest spares others' outages. One of our own that fails about a page fails about no other for that.
      const untiring = isOnline ? {} : { failuresMax: Number.POSITIVE_INFINITY }
      return { ...seat, caution: new Caution({ ...untiring, ...limits }) }
    })
  }

  /** @throws Error in one line if a reviewer cannot do its work at all */
  async open(): Promise<this> {
    for (const { reviewer } of this.#seats) await reviewer.open?.()
    return this
  }

  start(log: ReviewLog): void {
    this.#log = log
    for (const { reviewer } of this.#seats) reviewer.start?.(log)
  }

  async close(): Promise<void> {
    await Promise.all(this.#seats.map(({ reviewer }) => reviewer.close?.()))
  }

  /**
   * Asks those without a network in order, up to the first refusal, then the others at the same time: nobody else learns
   * of a page that is refused anyway. All who decide must pass. A refusal wins over "cannot tell", since it would come
   * later anyway. Otherwise a single "cannot tell" is the answer, so that no outage lets a page through. One that only
   * flags never decides: what it finds or cannot tell is logged. Never throws.
   *
   * @param admits reasons that are only noted, since an appeal was decided so
   */
  async review(
    page: FetchedPage,
    destination: Destination,
    admits: readonly ReviewReason[] = [],
  ): Promise<Review> {
    const verdicts: Verdict[] = []
    const unsure: CannotTell[] = []
    /** @returns its refusal */
    const ask = async ({ reviewer, decides, caution }: Seated) => {
      const { name, version } = reviewer
      const startedAt = performance.now()
      const given = await caution.ask(reviewer.about?.(page, destination), signal =>
        reviewer.review(page, destination, signal),
      )
      reviewed.tell({ reviewer: name, ms: performance.now() - startedAt })
      const isNoted = given.verdict === 'reject' && (!decides || admits.includes(given.reason))
      const opinion = isNoted ? noted(given) : given
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
