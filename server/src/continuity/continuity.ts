import type { FastifyBaseLogger } from 'fastify'
import { Repeated } from '../repeated.ts'
import { PageReaders } from '../review/page-readers.ts'
import { AT_ONCE, LOOK_READER_LIMITS } from './look.ts'
import { type LookAgainDependencies, lookAgain } from './look-again.ts'
import { dueLooks } from './seen-page.ts'

interface ContinuityDependencies extends Omit<LookAgainDependencies, 'readers'> {
  /** Looks that begin within an hour, of all instances together; 0 for none. */
  looksPerHour: number
  log: Pick<FastifyBaseLogger, 'info'>
}

const LOOK_EVERY_MS = 1000

/**
 * Looks at listed pages again when they are due. The store says what is due, so a crash loses nothing, and several
 * instances share the work. Where nothing is due, it looks at one index a second.
 */
export class Continuity {
  readonly #deps: ContinuityDependencies
  /** Its own, so that publishing never waits for a look. */
  readonly #readers = new PageReaders({ limits: LOOK_READER_LIMITS })
  readonly #stop = new AbortController()
  readonly #looking: Repeated

  constructor(deps: ContinuityDependencies) {
    this.#deps = deps
    const { log } = deps
    this.#looking = new Repeated(
      () => this.#look(),
      err => log.info({ err }, 'could not look at listed pages again; will retry'),
    )
  }

  start(): void {
    if (this.#deps.looksPerHour > 0) this.#looking.start(LOOK_EVERY_MS)
  }

  /** Aborts looks in progress, to be begun again later. Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking.close()
    await this.#readers.close()
  }

  async #look(): Promise<void> {
    const { store, clock, looksPerHour, log } = this.#deps
    const { signal } = this.#stop
    const deps = { ...this.#deps, readers: this.#readers }
    const due = await dueLooks(store, clock(), looksPerHour)
    const takeNext = async () => {
      for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
        const looked = await lookAgain(deps, next, signal)
        if (looked && 'hidden' in looked && looked.hidden)
          log.info(looked, 'hid a listing that was taken over')
      }
    }
    // All lanes end before the first failure is reported, so that closing waits for each of them.
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, takeNext))
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
  }
}
