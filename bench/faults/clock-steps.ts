import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE_PATH } from '@placard/contract'
import { goodPage } from '../../server/test/support/sites.ts'
import { json, quoteBody } from '../requests.ts'
import { History } from './history.ts'
import { type Env, type Instances, startInstances } from './instances.ts'
import type { Outcome } from './outcome.ts'
import { startMortal } from './postgres.ts'
import { proofOf } from './proof.ts'

const WRONG_CLOCK = new URL('./wrong-clock.ts', import.meta.url).href
const HOUR_MS = 60 * 60 * 1000
/** By how many hours the clock is wrong, one after the other. */
const STEPS_HOURS = [0, 3, -3, 26, 0, -26, 0]
const KILLED_AT_HOURS = 26
const QUOTE_LIFETIME_MS = 5 * 60 * 1000
/** Seconds pass while we ask. */
const SLACK_MS = 5000
const PER_STEP = 8
/**
 * An instance that is hours behind, beside another or while nobody chains after a kill, dates its decisions back, and the
 * audit says so.
 */
const DATED_BACK = /^audit: .* was put in with an earlier date/

/** Sets the clock of an instance forwards and back: on SQLite the only one's, on PostgreSQL one's of two. */
export async function clockSteps(folder: string): Promise<Outcome> {
  const onSqlite = await stepped(join(folder, 'sqlite'), 1, {})
  const postgres = await startMortal()
  try {
    const env = await postgres.database('clock')
    const onPostgres = await stepped(join(folder, 'postgres'), 2, env)
    return {
      figures: `${STEPS_HOURS.join(', ')} hours; on SQLite ${onSqlite.figures}; on PostgreSQL ${onPostgres.figures}`,
      faults: [...onSqlite.faults, ...onPostgres.faults],
    }
  } finally {
    await postgres.stop()
  }
}

async function stepped(folder: string, count: number, env: Env): Promise<Outcome> {
  mkdirSync(folder, { recursive: true })
  const offset = join(folder, 'offset')
  writeFileSync(offset, '0')
  const wrongClock = { NODE_OPTIONS: `--import=${WRONG_CLOCK}`, WRONG_CLOCK_FILE: offset }
  const instances = await startInstances(folder, count, env, index => (index === 0 ? wrongClock : {}))
  const history = new History('clock')
  const faults: string[] = []
  try {
    for (const hours of STEPS_HOURS) {
      writeFileSync(offset, `${hours * HOUR_MS}`)
      await sleep(1000)
      faults.push(...(await quoteFaults(instances.urls[0] ?? '', Date.now() + hours * HOUR_MS)))
      const fresh = Array.from({ length: PER_STEP }, () => history.submission())
      await Promise.all(fresh.flatMap(each => instances.urls.map(url => history.send(url, each))))
      for (const url of instances.urls) {
        for (const each of history.submissions) await history.send(url, each)
        const { status } = await fetch(`${url}/readyz`)
        if (status !== 200) faults.push(`/readyz said ${status} at ${hours} hours`)
      }
      if (hours === KILLED_AT_HOURS) await killInReview(instances, history, () => writeFileSync(offset, '0'))
    }
    await history.settle(instances.urls)
    await Promise.all(instances.all.map(each => each.stop()))
    return await instances.withStore(async store => {
      const failing = await store.db.selectFrom('job').select('name').where('failures', '>', 0).execute()
      return {
        figures: history.counts(),
        faults: [
          ...faults,
          ...(await proofOf(store, { history })).filter(fault => !DATED_BACK.test(fault)),
          ...failing.map(({ name }) => `the job ${name} fails`),
        ],
      }
    })
  } finally {
    await instances.stop()
  }
}

/** Its lease is in the future of the clock that was set back. */
async function killInReview(instances: Instances, history: History, setBack: () => void): Promise<void> {
  const host = 'killed-in-review.com'
  instances.sites.set(host, () => {})
  const lost = history.send(instances.urls[0] ?? '', history.submission({ host }))
  while (instances.sites.visits(host) === 0) await sleep(20)
  setBack()
  await instances.killAndStart(0)
  await lost
  instances.sites.set(host, goodPage)
}

/** A quote ends within five minutes, and with the day, by the clock of whoever gives it. */
async function quoteFaults(url: string, now: number): Promise<string[]> {
  const response = await fetch(url + QUOTE_PATH, { method: 'POST', headers: json, body: quoteBody })
  const quote = (await response.json()) as { expiresAt?: number }
  const left = (quote.expiresAt ?? 0) - now
  const isRight = response.status === 200 && left > -SLACK_MS && left <= QUOTE_LIFETIME_MS + SLACK_MS
  return isRight ? [] : [`a quote at ${new Date(now).toISOString()} was ${JSON.stringify(quote)}`]
}
