import { setTimeout as sleep } from 'node:timers/promises'
import { History } from './history.ts'
import { startInstances } from './instances.ts'
import { Load } from './load.ts'
import { Money } from './money.ts'
import type { Outcome } from './outcome.ts'
import { startMortal } from './postgres.ts'
import { proofOf } from './proof.ts'
import { startRelay, type Trouble } from './relay.ts'

/** How long each trouble lasts. The silence is longer than any connection's patience. */
const TROUBLES: [Trouble, number][] = [
  ['delay', 4000],
  ['cut', 4000],
  ['lose commit', 4000],
  ['lose answer', 4000],
  ['silence', 15_000],
  ['lose answer', 4000],
]
const PAYMENTS = 120
const CALM_MS = 1000

/**
 * Troubles the connections to PostgreSQL, also in the middle of a COMMIT: each answer is right or an honest 503, and the same
 * request finds its outcome later.
 */
export async function cutWire(folder: string): Promise<Outcome> {
  const postgres = await startMortal()
  const relay = await startRelay(postgres.port)
  const direct = await postgres.database('wire')
  const through = new URL(direct.DATABASE_URL)
  through.port = `${relay.port}`
  const instances = await startInstances(folder, 2, { ...direct, DATABASE_URL: through.href })
  const history = new History('wire')
  const money = new Money()
  try {
    await instances.withStore(store => money.open(store, PAYMENTS))
    const load = new Load(instances.urls, history, money)
    for (const [trouble, ms] of TROUBLES) {
      await sleep(CALM_MS)
      relay.trouble = trouble
      await sleep(ms)
      relay.trouble = 'none'
    }
    await load.stop()
    await history.settle(instances.urls)
    await money.deliverRest(instances.urls[0] ?? '')
    await Promise.all(instances.all.map(each => each.stop()))
    const faults = await instances.withStore(store => proofOf(store, { history, money }))
    const missing = TROUBLES.filter(([trouble]) => !relay.made.has(trouble))
    const made = [...relay.made].map(([trouble, times]) => `${trouble} × ${times}`).join(', ')
    return {
      figures: `${made}; ${history.counts()}; ${history.published()} published; ${load.quotes} quotes; ${money.answered} events answered`,
      faults: [
        ...faults,
        ...load.faults(),
        ...(history.unanswered > 0 ? [`${history.unanswered} requests got no answer`] : []),
        ...missing.map(([trouble]) => `there was no ${trouble}`),
      ],
    }
  } finally {
    await instances.stop()
    relay.close()
    await postgres.stop()
  }
}
