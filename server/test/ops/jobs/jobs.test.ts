import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Job, Step } from '../../../src/ops/jobs/job.ts'
import { LEASE_MS, LeaseLost } from '../../../src/ops/jobs/lease.ts'
import { Jobs } from '../../../src/ops/jobs/runner.ts'
import { readJobs } from '../../../src/ops/jobs/status.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { NOON } from '../../support/service.ts'

/** Longer than any machine pauses, for tests in which no lease expires. */
const LONG_LEASE_MS = 600_000
const HOUR_MS = 3_600_000

describe.each(SQLITE_FIRST)('background jobs on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let running: Jobs[]
  let logged: string[]
  /** How many of these lines are warnings. */
  let warned: number
  /** How long failed runs wait for the next, in milliseconds. */
  let waits: number[]
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    running = []
    logged = []
    warned = 0
    waits = []
  })
  afterEach(async () => {
    for (const jobs of running) await jobs.close()
    await database.remove()
  })

  /** As a process of its own would have it. */
  async function start(
    steps: Record<string, Step>,
    { everyMs = 20, leaseMs = LONG_LEASE_MS, ...job }: Partial<Omit<Job, 'name' | 'step'>> & { leaseMs?: number } = {},
  ): Promise<Jobs> {
    const log = (about: { job?: string; waitMs?: number }, words: string) => {
      logged.push(`${about.job}: ${words}`)
      if (about.waitMs !== undefined) waits.push(about.waitMs)
    }
    const deps = {
      store: await database.openStore(),
      clock: () => NOON,
      log: { info: log, warn: (...line: Parameters<typeof log>) => void [warned++, log(...line)] } as never,
    }
    const all = Object.entries(steps).map(([name, step]): Job => ({ name, everyMs, step, ...job }))
    const jobs = new Jobs(deps, all, leaseMs)
    running.push(jobs)
    jobs.start()
    return jobs
  }

  const rowOf = (name: string) =>
    store.db.selectFrom('job').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
  const set = (name: string, fields: { heldUntil?: number; nextAt?: number }) =>
    store.transact(trx => trx.updateTable('job').set(fields).where('name', '=', name).execute())

  it('run in one process at a time, and in the next as soon as one stops', async () => {
    let [atOnce, most] = [0, 0]
    const runs = new Map<string, number>()
    const stepsOf = (process: string) => {
      const step: Step = async ({ store: fenced }) => {
        most = Math.max(most, ++atOnce)
        await sql`select 1`.execute(fenced.db)
        runs.set(process, (runs.get(process) ?? 0) + 1)
        atOnce--
      }
      return { log: step }
    }
    const first = await start(stepsOf('first'))
    await expect.poll(() => runs.get('first')).toBeGreaterThan(3)
    await start(stepsOf('second'))
    const until = (runs.get('first') ?? 0) + 30
    await expect.poll(() => runs.get('first')).toBeGreaterThan(until)
    expect([runs.get('second'), most]).toEqual([undefined, 1])
    await first.close()
    const given = runs.get('first')
    await expect.poll(() => runs.get('second')).toBeGreaterThan(3)
    expect([runs.get('first'), most]).toEqual([given, 1])
    expect(logged).toEqual([])
  })

  it('each run, if a process has several', async () => {
    const ran = new Set<string>()
    const step = (name: string) => async () => void ran.add(name)
    await start({ log: step('log'), pictures: step('pictures'), retention: step('retention') })
    await expect.poll(() => ran.size).toBe(3)
    expect(logged).toEqual([])
  })

  it('with nothing to do in a new database run first after their time, also if the service starts again', async () => {
    const ran: string[] = []
    const begin = async () => {
      const jobs = await start(
        { check: async () => void ran.push('check') },
        { everyMs: HOUR_MS, skipsNewDatabase: true },
      )
      await start({ log: async () => void ran.push('log') })
      await expect.poll(async () => (await rowOf('check')).holder).not.toBeNull()
      return jobs
    }
    const first = await begin()
    await expect.poll(() => ran.length).toBeGreaterThan(3)
    await first.close()
    const now = Date.now()
    const { nextAt, startedAt } = await rowOf('check')
    expect(Math.abs(Number(nextAt) - now - HOUR_MS)).toBeLessThan(HOUR_MS / 2)
    expect(startedAt).toBeNull()
    const second = await begin()
    expect(new Set(ran)).toEqual(new Set(['log']))
    await second.close()
    await set('check', { nextAt: now - 1 })
    await begin()
    await expect.poll(() => ran).toContain('check')
    expect(logged).toEqual([])
  })

  it('write nothing in a process that lost them, which ends its run', async () => {
    let goOn = () => {}
    const outcomes: unknown[] = []
    const steps: Record<string, Step> = {
      async log({ store: fenced, signal }) {
        if (outcomes.push('began') > 1) return
        await new Promise<void>(resolve => {
          goOn = resolve
        })
        const writing = fenced.transact(trx =>
          trx.insertInto('warning').values({ kind: 'job_failed', at: NOON }).execute(),
        )
        await writing.catch(error => outcomes.push(error))
        outcomes.push(signal.aborted)
        await writing
      },
    }
    await start(steps, { leaseMs: 600 })
    await expect.poll(() => outcomes).toEqual(['began'])
    const { fence, holder } = await rowOf('log')
    // Another takes it, as if this process had been stopped for longer than its lease.
    await store.transact(trx =>
      trx
        .updateTable('job')
        .set({ fence: Number(fence) + 1 })
        .execute(),
    )
    goOn()
    await expect.poll(() => outcomes.length).toBeGreaterThan(2)
    expect(outcomes[1]).toBeInstanceOf(LeaseLost)
    expect(await store.db.selectFrom('warning').selectAll().execute()).toEqual([])
    await expect.poll(() => logged).toContainEqual(expect.stringContaining('log: lost a background job'))
    // Its own lease ends, and then it may have it again.
    await expect.poll(() => outcomes.at(-1)).toBe('began')
    const again = await rowOf('log')
    expect(again).toMatchObject({ holder, failures: 0 })
    // Unlike the next number, a random one is no other process's after a failover that lost its taking.
    expect([fence, Number(fence) + 1, Number(fence) + 2]).not.toContain(again.fence)
  })

  it('show their error, are retried after growing waits, and warn the operator', async () => {
    let isBroken = true
    const steps: Record<string, Step> = {
      async retention() {
        if (isBroken) throw new Error('the disk is full')
      },
    }
    // Of the usual length, because the command shows no holder of a longer one.
    await start(steps, { leaseMs: LEASE_MS })
    await expect.poll(() => store.db.selectFrom('warning').select('kind').execute()).toEqual([{ kind: 'job_failed' }])
    expect(waits.slice(0, 3)).toEqual([40, 80, 160])
    // The first two failures may have a passing cause.
    expect(logged.filter(line => line.endsWith('failed; will retry')).length - warned).toBe(2)
    await expect.poll(async () => (await rowOf('retention')).failures).toBeGreaterThan(2)
    const env = { ...database.env, LOOKS_PER_HOUR: '0' }
    const { jobs } = await readJobs({ store, clock: () => NOON, config: configFrom(env) })
    expect(jobs.find(({ name }) => name === 'retention')).toMatchObject({ due: 1, error: 'the disk is full' })
    const { output } = await operateHere({ SERVICE_KEY: '7'.repeat(64), ...env }, 'jobs')
    expect(output).toMatch(/^job +what it does +due +last run +next run +done by\n/)
    expect(output).toMatch(
      /\nretention +deletes old rows +1 .*process \d+\n {4}failed \d+ times?, last \d+ s ago: the disk is full\n/,
    )
    isBroken = false
    await expect.poll(async () => (await rowOf('retention')).failures).toBe(0)
    expect(await rowOf('retention')).toMatchObject({ error: 'the disk is full' })
    expect(logged.at(-1)).toBe('retention: a background job works again')
  })

  it('are retried less often if they are expensive, but soon in the next process', async () => {
    await store.transact(trx => trx.insertInto('job').values({ name: 'backup', failures: 20 }).execute())
    const steps = { backup: () => Promise.reject(new Error('no access')) }
    const about = { everyMs: 6 * HOUR_MS, retryMaxMs: HOUR_MS, leaseMs: LEASE_MS }
    const first = await start(steps, about)
    await expect.poll(() => waits).toEqual([HOUR_MS])
    await first.close()
    const nextIn = async () => ((await rowOf('backup')).nextAt ?? 0) - Date.now()
    expect(await nextIn()).toBeGreaterThan(HOUR_MS / 2)
    await start(steps, about)
    await expect.poll(nextIn).toBeLessThanOrEqual(60_000)
    expect(waits).toEqual([HOUR_MS])
  })

  it('are due when their row says, whichever process has them, and whatever the clock did', async () => {
    let runs = 0
    const steps = { retention: async () => void runs++ }
    const first = await start(steps, { everyMs: HOUR_MS })
    await expect.poll(() => runs).toBe(1)
    await first.close()
    const { nextAt, holder } = await rowOf('retention')
    expect([holder, (nextAt ?? 0) > Date.now() + HOUR_MS / 2]).toEqual([null, true])

    // A lease of an hour ago, when the clock was an hour ahead.
    await set('retention', { heldUntil: Date.now() + HOUR_MS })
    await start(steps, { everyMs: HOUR_MS })
    await expect.poll(async () => (await rowOf('retention')).holder).not.toBe(null)
    expect(runs).toBe(1)
    await running.at(-1)?.close()
    await set('retention', { nextAt: 0 })
    await start(steps, { everyMs: HOUR_MS })
    await expect.poll(() => runs).toBe(2)
  })

  it('that are cut off by a stop are due at once', async () => {
    let runs = 0
    const steps: Record<string, Step> = {
      async retention({ signal }) {
        if (++runs === 1) await new Promise(resolve => signal.addEventListener('abort', resolve))
      },
    }
    const first = await start(steps, { everyMs: HOUR_MS })
    await expect.poll(() => runs).toBe(1)
    await first.close()
    expect(await rowOf('retention')).toMatchObject({
      holder: null,
      heldUntil: null,
      endedAt: null,
      failures: 0,
    })
    await start(steps, { everyMs: HOUR_MS })
    await expect.poll(() => runs).toBe(2)
  })

  it('end the processes that they keep, after their last run', async () => {
    const events: string[] = []
    const step: Step = async ({ signal }) => {
      events.push('began')
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      events.push('ended')
    }
    const jobs = await start({ pictures: Object.assign(step, { close: () => void events.push('closed') }) })
    await expect.poll(() => events).toEqual(['began'])
    await jobs.close()
    expect(events).toEqual(['began', 'ended', 'closed'])
  })
})
