import type { FastifyBaseLogger } from 'fastify'
import { AT_ONCE } from './look.ts'
import { type LookAgainDependencies, lookAgain } from './look-again.ts'
import { dueLooks } from './seen-page.ts'

interface ContinuityDependencies extends LookAgainDependencies {
  /** Looks that begin within an hour. */
  looksPerHour: number
  log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * Looks at some listed pages again that are due. The store says what is due, so a crash loses nothing. Where nothing is
 * due, it looks at one index.
 *
 * @param signal aborts looks under way, which are begun again later
 */
export async function lookAtDue(deps: ContinuityDependencies, signal: AbortSignal): Promise<void> {
  const { store, clock, looksPerHour, log } = deps
  const due = await dueLooks(store, clock(), looksPerHour)
  const takeNext = async () => {
    for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
      const looked = await lookAgain(deps, next, signal)
      if (looked && 'hidden' in looked && looked.hidden) log.info(looked, 'hid a listing that was taken over')
    }
  }
  // All lanes end before the first failure is reported, so that a stop waits for each of them.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, takeNext))
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
}
