import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { median } from '../../bench/measure.ts'
import type { Store } from '../../server/dist/platform/db/store.js'
import { History, inLanes } from './history.ts'
import { type Outcome, startInstances } from './instances.ts'
import { startKillable } from './killable-postgres.ts'
import { underLoad } from './load.ts'
import { startRelay } from './relay.ts'

const [ROUNDS, PAUSE_MS] = [9, 1500]

/** Kills instances and PostgreSQL under load, again and again. */
export async function kills(folder: string, engine: 'sqlite' | 'postgres'): Promise<Outcome> {
  const postgres = engine === 'postgres' ? await startKillable() : undefined
  const instances = await startInstances(folder, 2, await postgres?.database('kills'))
  const killed = { instances: 0, servers: 0, connections: 0 }
  try {
    return await underLoad(instances, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await sleep(PAUSE_MS * Math.random())
        await instances.killAndStart(round % 2)
        killed.instances++
        if (!postgres) continue
        await sleep(PAUSE_MS * Math.random())
        if (round % 3 === 0) await postgres.killServer()
        else await postgres.killBackend('kills')
        killed[round % 3 === 0 ? 'servers' : 'connections']++
      }
      const ofPostgres = `, ${killed.servers} of PostgreSQL, ${killed.connections} of one of its connections`
      return { figures: `${killed.instances} kills of instances${postgres ? ofPostgres : ''}`, faults: [] }
    })
  } finally {
    await instances.stop()
    await postgres?.stop()
  }
}

/** How long each trouble lasts. The silence is longer than any connection's patience. */
const TROUBLES = [
  ...(['delay', 'cut', 'lose commit', 'lose answer'] as const).map(trouble => ({ trouble, ms: 4000 })),
  { trouble: 'silence', ms: 15_000 } as const,
  { trouble: 'lose answer', ms: 4000 } as const,
]
const CALM_MS = 1000

/**
 * Troubles the connections to PostgreSQL, also in the middle of a COMMIT: each answer is right or an honest 503, and the
 * same request finds its outcome later.
 */
export async function wire(folder: string): Promise<Outcome> {
  const postgres = await startKillable()
  const relay = await startRelay(postgres.port)
  const direct = await postgres.database('wire')
  const through = Object.assign(new URL(direct.DATABASE_URL), { port: relay.port }).href
  const instances = await startInstances(folder, 2, { ...direct, DATABASE_URL: through })
  const cause = async () => {
    for (const { trouble, ms } of TROUBLES) {
      await sleep(CALM_MS)
      relay.trouble = trouble
      await sleep(ms)
      relay.trouble = 'none'
    }
    const missing = TROUBLES.filter(({ trouble }) => !relay.made.has(trouble))
    return {
      figures: [...relay.made].map(([trouble, times]) => `${trouble} × ${times}`).join(', '),
      faults: missing.map(({ trouble }) => `there was no ${trouble}`),
    }
  }
  try {
    return await underLoad(instances, cause, { unansweredMax: 0 })
  } finally {
    await instances.stop()
    relay.close()
    await postgres.stop()
  }
}

const [FSYNC_MS, SLOW_MS] = [300, 10_000]

/**
 * Makes each fsync of the service take long, on SQLite, where a commit holds up the process: it becomes slow, and stays
 * right. Needs strace. Full and read-only disks: server/test/platform/db/disk.test.ts.
 */
export async function slowDisk(folder: string): Promise<Outcome> {
  const instances = await startInstances(folder, 1)
  try {
    return await underLoad(instances, cause, { unansweredMax: 0 })
  } finally {
    await instances.stop()
  }

  async function cause(history: History): Promise<Outcome> {
    const medianMs = async () => {
      const times: number[] = []
      for (const end = performance.now() + SLOW_MS; performance.now() < end; ) {
        const startedAt = performance.now()
        await history.send(instances.urls[0] ?? '', history.submission())
        times.push(performance.now() - startedAt)
      }
      return Math.round(median(times))
    }
    const inject = `inject=fsync,fdatasync:delay_exit=${FSYNC_MS}ms`
    const watched = ['-p', `${instances.programs[0]?.pid}`, '-e', 'trace=fsync,fdatasync', '-e', inject]
    const before = await medianMs()
    const tracer = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...watched], { stdio: 'inherit' })
    await once(tracer, 'spawn')
    const during = await medianMs()
    tracer.kill('SIGKILL')
    await once(tracer, 'exit')
    return {
      figures: `a publish took ${before} ms, and ${during} ms with ${FSYNC_MS} ms an fsync`,
      faults: during >= FSYNC_MS ? [] : ['the disk was not slow'],
    }
  }
}

const [CLIENTS, KEYS_PER_CLIENT, HOSTS, KILLS] = [60, 7, 200, 6]
const [GLOBAL, PER_CLIENT, PER_HOST] = [150, 4, 4]

/**
 * More submissions than the day's quotas allow, each to both instances at once and some hosts by several keys, while
 * instances are killed. Every 201 is the only one for its key and host, repeats are equal, and the quotas are exact.
 */
export async function quotas(folder: string): Promise<Outcome> {
  const postgres = await startKillable()
  const instances = await startInstances(folder, 2, {
    ...(await postgres.database('history')),
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: `${GLOBAL}`,
    LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: `${PER_CLIENT}`,
    LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: `${PER_HOST}`,
  })
  const history = new History()
  try {
    for (let nth = 0; nth < CLIENTS * KEYS_PER_CLIENT; nth++) {
      const host = `history-${Math.floor(Math.random() * HOSTS)}.com`
      // Each from a network of its own, since a network has a quota, too.
      history.submission({ client: `${11 + (nth % CLIENTS)}.0.0.1`, host })
    }
    const sent = inLanes(16, history.submissions, async submission => {
      await Promise.all(instances.urls.map(url => history.send(url, submission)))
      await sleep(150)
    })
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(400 * Math.random())
      await instances.killAndStart(kill % 2)
    }
    await sent
    await history.settle(instances.urls)
    const faults = await instances.prove(history)
    const { days, all, last, client, host } = await instances.withStore(usedQuotas)
    const isExact = all === GLOBAL && last === GLOBAL && client <= PER_CLIENT && host <= PER_HOST
    const used = `${all} of ${GLOBAL} attempts, at most ${client} of ${PER_CLIENT} of a client and ${host} of ${PER_HOST} of a website`
    if (days !== 1) faults.push('midnight (UTC) came between: run it again')
    if (!isExact) faults.push(`${used}, the last the ${last}th`)
    return {
      figures: `${KILLS} kills; ${history.counts()}; ${history.published()} published; ${used}`,
      faults,
    }
  } finally {
    await instances.stop()
    await postgres.stop()
  }
}

type Used = Record<'days' | 'all' | 'last' | 'client' | 'host', number>

async function usedQuotas({ db }: Store): Promise<Used> {
  const most = (column: string) =>
    sql.raw(`(select max(n)::int from (select count(*) as n from attempt group by "${column}") as each)`)
  const { rows } = await sql<Used>`
    select count(distinct day)::int as days, count(*)::int as "all", max("nthOfDay")::int as last,
      ${most('clientHash')} as client, ${most('hostname')} as host from attempt`.execute(db)
  return rows[0] as Used
}
