import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '../../server/dist/ops/jobs/job.js'
import { type Config, configFrom } from '../../server/dist/platform/config/config.js'
import { type Env, readEnv } from '../../server/dist/platform/config/settings.js'
import { openStore } from '../../server/dist/platform/db/open.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import { startService } from '../../server/dist/start.js'
import { diaryOf } from './diary.ts'
import { Life } from './life.ts'
import { makePictures } from './pictures.ts'
import { HOUR_MS, type Plan, planUntil } from './plan.ts'
import { printSummary } from './print-summary.ts'
import { serveWebsites } from './websites.ts'

/** The settings for the store and for where it will be served, since stored data contains that address. */
const PLACE = ['HOST', 'PORT', 'BASE_URL', 'DATA_DIR', 'DATABASE_URL', 'SERVICE_KEY'] as const

/** Months of requests arrive within seconds, from one machine. */
const WITHOUT_LIMITS: Env = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '100000',
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000',
  TRUSTED_PROXIES: '127.0.0.1/32',
}

/**
 * Fills an empty store with a board that looks lived in. Runs the service on its own websites, with a clock that steps
 * through the last months: everything is published, paid and reported as in real life. Rows written by hand would be a
 * second description of the schema.
 *
 * @throws Error in one line if the store is not empty, or something went wrong
 */
export async function seed(): Promise<void> {
  const env = readEnv()
  if (env.PAYMENTS === 'stripe') throw new Error('PAYMENTS must be sandbox: the seed never uses real money')
  const place = Object.fromEntries(PLACE.flatMap(name => (env[name] ? [[name, env[name]]] : [])))
  const websites = await serveWebsites()
  const config = configFrom({
    ...place,
    ...WITHOUT_LIMITS,
    PAYMENTS: 'sandbox',
    FETCH_CONNECT_TO: websites.connectTo,
    LOG_LEVEL: 'error',
  })
  const store = await openStore(config)
  try {
    await refuseUsed(store, config)
    const now = Date.now()
    const plan = planUntil(now)
    printSummary(plan, await live(config, store, plan, now), place)
  } finally {
    await store.close()
    await websites.close()
  }
}

async function refuseUsed({ db }: Store, { databaseUrl, dataDir }: Config): Promise<void> {
  const used = await db.selectFrom('attempt').select('requestId').limit(1).executeTakeFirst()
  if (!used) return
  const where = databaseUrl === undefined ? `DATA_DIR ${dataDir}` : 'the database of DATABASE_URL'
  throw new Error(`${where} is already in use: name an empty one`)
}

/** Lives through a plan, until `now`. */
async function live(config: Config, store: Store, plan: Plan, now: number): Promise<Life> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-seed-'))
  const clock = { now: 0 }
  let log: Job | undefined
  const service = await startService(config, {
    clock: () => clock.now,
    drawsAhead: false,
    jobs: jobs => {
      log = jobs.find(({ name }) => name === 'log')
      return jobs.filter(({ name }) => name !== 'draw' && name !== 'log')
    },
  })
  // Between two runs of the job, days would pass: a draw must find all entries from before its midnight in the log.
  const writeLog = async () => log?.step({ store, signal: new AbortController().signal, isFirst: false })
  try {
    const life = new Life({ service, store, clock, writeLog, journalPath: join(folder, 'journal.jsonl') })
    const diary = diaryOf(plan, life, now)
    clock.now = diary[0]?.at ?? now
    // The log begins before everything that it has.
    await writeLog()
    for (const { at, act } of diary) {
      clock.now = at
      await act()
    }
    return life
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
    // Including those the service had begun to make.
    await makePictures(store, now + HOUR_MS)
    await writeLog()
  }
}
