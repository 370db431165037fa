import type { CheckLimits } from '@placard/contract'
import { Problem } from '../http/problem.ts'
import { secondsToMidnight, utcDay } from '../time.ts'
import type { CountedAs } from './quotas.ts'

/** How many clients and websites to remember. The one that came first today is forgotten first. */
const KEYS_MAX = 100_000

/**
 * The daily quotas of checks, counted in this process's memory: a check writes nothing. A restart starts them anew, and
 * each instance counts by itself (docs/decisions/limits-and-quotas.md).
 */
export class CheckQuotas {
  readonly #limits: CheckLimits
  readonly #counts = new Map<string, number>()
  #day = ''

  constructor(limits: CheckLimits) {
    this.#limits = limits
  }

  /** Counts a check. @throws Problem check_quota_ip or check_quota_host; then nothing is counted */
  take(from: CountedAs, now: number): void {
    const { checksPerDayPerIp, checksPerDayPerHost } = this.left(from, now)
    const wait = { retryAfterSeconds: secondsToMidnight(now) }
    if (checksPerDayPerIp === 0) throw new Problem('check_quota_ip', wait)
    if (checksPerDayPerHost === 0) throw new Problem('check_quota_host', wait)
    for (const key of keysOf(from)) this.#counts.set(key, this.#used(key) + 1)
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= KEYS_MAX) return
      this.#counts.delete(oldest)
    }
  }

  /** How many checks a client and a website have left today. */
  left(from: CountedAs, now: number): CheckLimits {
    const day = utcDay(now)
    if (day !== this.#day) this.#counts.clear()
    this.#day = day
    const [client, website] = keysOf(from)
    return {
      checksPerDayPerIp: Math.max(0, this.#limits.checksPerDayPerIp - this.#used(client)),
      checksPerDayPerHost: Math.max(0, this.#limits.checksPerDayPerHost - this.#used(website)),
    }
  }

  #used(key: string): number {
    return this.#counts.get(key) ?? 0
  }
}

/** A hash has no dot, and a hostname always has one, so the two never meet. */
const keysOf = ({ clientHash, hostname }: CountedAs) => [clientHash, hostname] as const
