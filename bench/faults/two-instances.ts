import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { History } from './history.ts'
import { startInstances } from './instances.ts'
import type { Outcome } from './outcome.ts'
import { startMortal } from './postgres.ts'
import { proofOf } from './proof.ts'

const CLIENTS = 60
const KEYS_PER_CLIENT = 7
const HOSTS = 200
const LANES = 16
const KILLS = 6
const GLOBAL = 150
const PER_CLIENT = 4
const PER_HOST = 4
const LIMITS = {
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: `${GLOBAL}`,
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: `${PER_CLIENT}`,
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: `${PER_HOST}`,
}

/**
 * More submissions than the day's quotas allow, each to both instances at once and some hosts by several keys, while
 * instances are killed. Every 201 is the only one for its key and host, repeats are equal, and the quotas are exact.
 */
export async function twoInstances(folder: string): Promise<Outcome> {
  const postgres = await startMortal()
  const env = { ...(await postgres.database('history')), ...LIMITS, TRUSTED_PROXIES: '127.0.0.1' }
  const instances = await startInstances(folder, 2, env)
  const history = new History('history')
  try {
    for (let index = 0; index < CLIENTS * KEYS_PER_CLIENT; index++) {
      const client = `198.51.100.${index % CLIENTS}`
      history.submission({ client, host: `history-${Math.floor(Math.random() * HOSTS)}.com` })
    }
    const waiting = [...history.submissions]
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const submission = next
        await Promise.all(instances.urls.map(url => history.send(url, submission)))
        await sleep(150)
      }
    }
    const lanes = Promise.all(Array.from({ length: LANES }, lane))
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(400 * Math.random())
      await instances.killAndStart(kill % 2)
    }
    await lanes
    await history.settle(instances.urls)
    await Promise.all(instances.all.map(each => each.stop()))
    return await instances.withStore(async store => {
      const { rows } = await sql<Used>`
        select count(*)::int as "inAll", max("nthOfDay")::int as "last", min(day) as "firstDay", max(day) as "lastDay",
          (select max(n)::int from (select count(*) as n from attempt group by "clientHash") as each) as "ofClient",
          (select max(n)::int from (select count(*) as n from attempt group by hostname) as each) as "ofHost"
        from attempt`.execute(store.db)
      const used = rows[0] as Used
      return {
        figures: `${KILLS} kills; ${history.counts()}; ${history.published()} published; ${used.inAll} of ${GLOBAL} attempts, at most ${used.ofClient} of ${PER_CLIENT} of a client and ${used.ofHost} of ${PER_HOST} of a website`,
        faults: [...(await proofOf(store, { history })), ...quotaFaults(used)],
      }
    })
  } finally {
    await instances.stop()
    await postgres.stop()
  }
}

interface Used {
  inAll: number
  last: number
  firstDay: string
  lastDay: string
  ofClient: number
  ofHost: number
}

function quotaFaults({ inAll, last, firstDay, lastDay, ofClient, ofHost }: Used): string[] {
  if (firstDay !== lastDay) return ['midnight (UTC) came between: run it again']
  return [
    ...(inAll === GLOBAL && last === GLOBAL
      ? []
      : [`${inAll} attempts, the last the ${last}th, instead of ${GLOBAL}`]),
    ...(ofClient <= PER_CLIENT ? [] : [`a client has ${ofClient} attempts`]),
    ...(ofHost <= PER_HOST ? [] : [`a website has ${ofHost} attempts`]),
  ]
}
