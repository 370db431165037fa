import { setTimeout as sleep } from 'node:timers/promises'
import { History } from './history.ts'
import { startInstances } from './instances.ts'
import { Load } from './load.ts'
import { Money } from './money.ts'
import type { Outcome } from './outcome.ts'
import { startMortal } from './postgres.ts'
import { proofOf } from './proof.ts'

const ROUNDS = 9
const PAYMENTS = 120
/** Between one kill and the next, at most. */
const PAUSE_MS = 1500

/** Kills instances and PostgreSQL under load, again and again: nothing that was answered may be lost or doubled. */
export async function kills(folder: string, engine: 'sqlite' | 'postgres'): Promise<Outcome> {
  const postgres = engine === 'postgres' ? await startMortal() : undefined
  const env = postgres ? await postgres.database('kills') : {}
  // On SQLite, two instances share the file as two workers do.
  const instances = await startInstances(folder, 2, env)
  const history = new History('kill')
  const money = new Money()
  try {
    await instances.withStore(store => money.open(store, PAYMENTS))
    const load = new Load(instances.urls, history, money)
    const killed = { instances: 0, servers: 0, backends: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(PAUSE_MS * Math.random())
      await instances.killAndStart(round % 2)
      killed.instances++
      if (!postgres) continue
      await sleep(PAUSE_MS * Math.random())
      if (round % 3 === 0) await postgres.killServer()
      else await postgres.killBackend('kills')
      killed[round % 3 === 0 ? 'servers' : 'backends']++
    }
    await load.stop()
    await history.settle(instances.urls)
    await money.deliverRest(instances.urls[0] ?? '')
    await Promise.all(instances.all.map(each => each.stop()))
    const faults = await instances.withStore(store => proofOf(store, { history, money }))
    const ofPostgres = postgres
      ? `, ${killed.servers} of PostgreSQL, ${killed.backends} of one of its connections`
      : ''
    return {
      figures: `${killed.instances} kills of instances${ofPostgres}; ${history.counts()}; ${history.published()} published; ${load.quotes} quotes; ${money.answered} events answered`,
      faults: [...faults, ...load.faults()],
    }
  } finally {
    await instances.stop()
    await postgres?.stop()
  }
}
