import type { CheckLimits } from '@placard/contract'
import type { Allowances, Counter } from '../allowances/allowances.ts'
import { Problem } from '../http/problem.ts'
import { daysMs, secondsToMidnight, utcDay } from '../time.ts'
import type { CountedAs } from './quotas.ts'

/**
 * The daily quotas of checks, counted like rates: a restart may start them anew (docs/decisions/limits-and-quotas.md).
 */
export class CheckQuotas {
  readonly #ofClient: Counter
  readonly #ofWebsite: Counter

  constructor(allowances: Allowances, { checksPerDayPerIp, checksPerDayPerHost }: CheckLimits) {
    // The day is part of each key, so a window never reaches into the next.
    const daily = (name: keyof CheckLimits, max: number) => allowances.of({ name, max, windowMs: daysMs(1) })
    this.#ofClient = daily('checksPerDayPerIp', checksPerDayPerIp)
    this.#ofWebsite = daily('checksPerDayPerHost', checksPerDayPerHost)
  }

  /** Counts a check. @throws Problem check_quota_ip or check_quota_host; then nothing is counted */
  async take(from: CountedAs, now: number): Promise<void> {
    const { client, website } = keysOf(from, now)
    const wait = { retryAfterSeconds: secondsToMidnight(now) }
    if ((await this.#ofClient.count(client)).isRefused) throw new Problem('check_quota_ip', wait)
    if (!(await this.#ofWebsite.count(website)).isRefused) return
    this.#ofClient.giveBack(client)
    throw new Problem('check_quota_host', wait)
  }

  /** How many checks a client and a website have left today, as far as this process knows. */
  async left(from: CountedAs, now: number): Promise<CheckLimits> {
    const { client, website } = keysOf(from, now)
    return {
      checksPerDayPerIp: await this.#ofClient.look(client),
      checksPerDayPerHost: await this.#ofWebsite.look(website),
    }
  }
}

function keysOf({ clientHash, hostname }: CountedAs, now: number) {
  const day = utcDay(now)
  return { client: `${day} ${clientHash}`, website: `${day} ${hostname}` }
}
