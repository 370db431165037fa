import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CHECK_PATH,
  type Check,
  CONTRACT_VERSION,
  type ErrorBody,
  PUBLISH_PATH,
  type PublishBody,
  QUOTE_PATH,
  type Receipt,
} from '@placard/contract'
import type { AppDependencies } from '../../src/app.ts'
import type { Job } from '../../src/ops/jobs/job.ts'
import { configFrom } from '../../src/platform/config/config.ts'
import type { Env } from '../../src/platform/config/settings.ts'
import { MIGRATIONS } from '../../src/platform/db/migrations/index.ts'
import type { Migrations } from '../../src/platform/db/migrations/types.ts'
import type { Engine } from '../../src/platform/db/tables/index.ts'
import { startService } from '../../src/start.ts'
import { type EmptyDatabase, emptyDatabase, migratedDatabase } from './engines.ts'
import { readers } from './readers.ts'
import { type Sites, startSites } from './sites.ts'

export interface TestService {
  url: string
  /** Where Prometheus reads, with METRICS_PORT. */
  metricsUrl: string
  sites: Sites
  database: EmptyDatabase
  /** The set clock, in Unix milliseconds: change it to let time pass. */
  clock: { now: number }
  /** Resolves once it may not work on its database any more. */
  outdated: Promise<Error>
  stop(): Promise<void>
}

/** 2026-11-21 12:00 UTC: neither five minutes nor a test reaches midnight from here. */
export const NOON = Date.UTC(2026, 10, 21, 12)

/** Limits that no test reaches unless it sets its own. */
const WIDE: Env = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
  LIMIT_CHECKS_PER_DAY_PER_IP: '100000',
  LIMIT_CHECKS_PER_DAY_PER_HOST: '100000',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '100000',
  // The clock of a test jumps: only those about looks want any.
  LOOKS_PER_HOUR: '0',
}

/** Settings of a public service, which cannot use the sandbox. */
export const PUBLIC: Env = {
  BASE_URL: 'https://placard.example.org',
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_nobody',
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
}

/**
 * The jobs of a test. If it waits for them, those that run every few seconds in production run that often. Only tests
 * about the draw have it: the clock of a test jumps, and owners would hear of each draw.
 */
function jobsFor(jobs: Job[], { jobsEveryMs, draws }: { jobsEveryMs?: number; draws?: boolean }): Job[] {
  if (jobsEveryMs === 0) return []
  const wanted = jobs.filter(({ name }) => draws || name !== 'draw')
  return jobsEveryMs === undefined
    ? wanted
    : wanted.map(job => (job.everyMs <= 5000 ? { ...job, everyMs: jobsEveryMs } : job))
}

/** Starts the real service on an empty database, with sites to publish and a clock to set. */
export async function startTestService(
  options: {
    engine?: Engine
    env?: Env
    database?: EmptyDatabase
    sites?: Sites
    now?: number
    /** Only tests about that: drawing takes time that the others do not have. */
    drawsAhead?: boolean
    /** Of another version. */
    migrations?: Migrations
    /** How often background jobs run, for tests that wait for them. 0: never, so that only requests write. */
    jobsEveryMs?: number
    /** Only tests about the daily draw. */
    draws?: boolean
    /** Fetchers with smaller limits. */
    fetchers?: Partial<Pick<AppDependencies, 'fetchPage' | 'fetchPageToCheck'>>
  } = {},
): Promise<TestService> {
  const { engine = 'sqlite', env = {} } = options
  const sites = options.sites ?? (await startSites())
  const { migrations = MIGRATIONS } = options
  const create = migrations === MIGRATIONS ? migratedDatabase : emptyDatabase
  const database = options.database ?? (await create(engine))
  const clock = { now: options.now ?? NOON }
  const config = configFrom({
    PORT: '0',
    LOG_LEVEL: 'silent',
    FETCH_CONNECT_TO: sites.connectTo,
    ...WIDE,
    ...database.env,
    ...env,
  })
  const service = await startService(config, {
    clock: () => clock.now,
    migrations,
    // On a busy machine, the first long read on SQLite waits long for its thread.
    patient: database.env.DATABASE_URL === undefined,
    readers,
    jobs: jobs => jobsFor(jobs, options),
    drawsAhead: options.drawsAhead ?? false,
    ...options.fetchers,
  })
  return {
    url: `http://127.0.0.1:${service.port}`,
    metricsUrl: `http://127.0.0.1:${service.metricsPort}/metrics`,
    sites,
    database,
    clock,
    outdated: service.outdated,
    async stop() {
      await service.stop()
      if (!options.sites) await sites.close()
      if (!options.database) await database.remove()
    },
  }
}

export interface Credentials {
  key: string
  secret: string
}

export const newCredentials = (): Credentials => ({
  key: randomUUID(),
  secret: randomBytes(32).toString('hex'),
})

/** A valid publish body. */
export const publishBody = (destination: string, category = 'Food & Drink'): PublishBody =>
  ({
    destination,
    category,
    approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: CONTRACT_VERSION },
  }) as PublishBody

/** A reply as a test compares it. `body` is the parsed JSON. */
export interface Reply<Body> {
  status: number
  headers: Headers
  body: Body
}

export async function reply<Body>(response: Response): Promise<Reply<Body>> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Body }
}

/** Sends one publish. `body` may be any JSON value, or a string that is sent as it is. */
export async function publish(
  service: { url: string },
  { key, secret }: Credentials,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Receipt & ErrorBody>> {
  const response = await fetch(service.url + PUBLISH_PATH, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      'x-submission-secret': secret,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return reply(response)
}

/**
 * Publishes as an agent does, which sends the same request again after a 503, when `Retry-After` says. A service of its
 * own process on a busy machine may not fetch and parse a page in time.
 */
export async function publishAtLast(...request: Parameters<typeof publish>): ReturnType<typeof publish> {
  for (;;) {
    const answer = await publish(...request)
    if (answer.status !== 503) return answer
    await sleep(1000 * Number(answer.headers.get('retry-after')))
  }
}

/** Asks what a publish would answer. */
export async function check(
  service: { url: string },
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Check & ErrorBody>> {
  const response = await fetch(service.url + CHECK_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return reply(response)
}

/** Asks for one quote. */
export async function quote<Body>(service: { url: string }, body: unknown): Promise<Reply<Body>> {
  const response = await fetch(service.url + QUOTE_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return reply(response)
}

/** Reports a host's only listing through its page's form: a write other than a publish. @returns the status */
export async function report(service: { url: string }, host: string): Promise<number> {
  const response = await fetch(`${service.url}/product/${host.replaceAll('.', '-')}/report`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ reason: 'misleading', details: 'It is not so.', contact: '', homepage: '' }),
    redirect: 'manual',
  })
  return response.status
}
