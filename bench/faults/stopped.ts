import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE_PATH } from '@placard/contract'
import { goodPage } from '../../server/test/support/sites.ts'
import { json, quoteBody } from '../requests.ts'
import { History } from './history.ts'
import { startInstances } from './instances.ts'
import type { Outcome } from './outcome.ts'
import { startMortal } from './postgres.ts'
import { proofOf } from './proof.ts'

const LIMIT = 120
/** A lease may leave this share unused. */
const UNUSED_SHARE = 0.05
const WINDOW_MS = 60_000
const SLOW_HOST = 'held.com'

/**
 * Stops one of two instances (SIGSTOP) while it holds leases: of request limits, and of a publish under review. The other
 * goes on, and what the first does once it continues counts for nothing. Jobs: server/test/ops/jobs/processes.test.ts.
 */
export async function stopped(folder: string): Promise<Outcome> {
  const postgres = await startMortal()
  const limits = { LIMIT_QUOTES_PER_MINUTE_PER_IP: `${LIMIT}` }
  const instances = await startInstances(folder, 2, { ...(await postgres.database('stopped')), ...limits })
  const [one = '', other = ''] = instances.urls
  const pid = instances.all[0]?.pid ?? 0
  const history = new History('stopped')
  try {
    const startedAt = performance.now()
    let inFirst = (await quotesUntilRefused(one, LIMIT / 3)) + (await quotesUntilRefused(other, LIMIT / 6))
    let release = () => {}
    instances.sites.set(SLOW_HOST, (request, response) => {
      release = () => goodPage(request, response)
    })
    const held = history.submission({ host: SLOW_HOST })
    const underWay = history.send(one, held)
    while (instances.sites.visits(SLOW_HOST) === 0) await sleep(20)

    process.kill(pid, 'SIGSTOP')
    let inNext = 0
    try {
      inFirst += await quotesUntilRefused(other, LIMIT)
      release()
      instances.sites.set(SLOW_HOST, goodPage)
      // Half a minute: as long as the lease that nobody gives back.
      while ((await history.send(other, held))?.status === 503) await sleep(500)
      await sleep(Math.max(0, WINDOW_MS + 2000 - (performance.now() - startedAt)))
      inNext = await quotesUntilRefused(other, LIMIT / 2)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    // It must not go on with the lease of the window before.
    inNext += (await quotesUntilRefused(one, LIMIT)) + (await quotesUntilRefused(other, LIMIT))
    await underWay
    await history.settle(instances.urls)
    await Promise.all(instances.all.map(each => each.stop()))
    const faults = await instances.withStore(store => proofOf(store, { history }))
    const took = held.answers.find(({ status }) => status < 300)
    return {
      figures: `${inFirst} and ${inNext} of ${LIMIT} quotes a minute let through; the publish: ${history.counts()}`,
      faults: [
        ...faults,
        ...(took ? [] : ['the publish was never taken over']),
        // What the stopped one had leased is lost to the first window.
        ...(inFirst <= LIMIT ? [] : [`${inFirst} quotes in the first minute`]),
        ...(inNext <= LIMIT && inNext >= LIMIT * (1 - UNUSED_SHARE)
          ? []
          : [`${inNext} quotes in the next minute`]),
      ],
    }
  } finally {
    await instances.stop()
    await postgres.stop()
  }
}

/** @returns how many were let through, at most `max` */
async function quotesUntilRefused(url: string, max: number): Promise<number> {
  for (let answered = 0; answered < max; answered++) {
    const { status } = await fetch(url + QUOTE_PATH, { method: 'POST', headers: json, body: quoteBody })
    if (status !== 200) return answered
  }
  return max
}
