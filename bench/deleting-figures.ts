import { join } from 'node:path'
import { PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { sql } from 'kysely'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { compare, heading, inSeconds, LONG_ROUNDS } from './compare.ts'
import type { Target } from './load.ts'
import { startPostgres } from './postgres.ts'
import { credentials, json, publishBody, quoteBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const ROWS = 1_000_000
/** Given, since a filled database without its key file is refused. */
const SERVICE_KEY = '5e'.repeat(32)
/** Long enough for many steps and their rests. */
const LONG = { rounds: LONG_ROUNDS, seconds: 3 }

type Env = Record<string, string>

/** What deleting costs others: a service with a million rows to delete against one with a million to keep. */
export async function deletingFigures(folder: string): Promise<void> {
  const inWords = ROWS.toLocaleString('en')
  heading(`Rate while deleting ${inWords} refused submissions as a share of the rate without, on SQLite`)
  const sqlite = (name: string) => ({ DATA_DIR: join(folder, name), SERVICE_KEY })
  await deleting(sqlite('old'), sqlite('new'))

  heading('The same on PostgreSQL')
  const postgres = await startPostgres()
  try {
    const env = async (name: string) => ({ ...(await postgres.database(name)), DATA_DIR: join(folder, name) })
    await deleting(await env('old'), await env('new'))
  } finally {
    await postgres.stop()
  }
}

async function deleting(old: Env, fresh: Env): Promise<void> {
  await fill(old, Date.UTC(2020, 0, 1))
  await fill(fresh, Date.now())
  const left = await openStore(storeOf(old))
  const servers = [
    await startServer('placard', [], { ...WIDE_ENV, ...old }),
    await startServer('placard', [], { ...WIDE_ENV, ...fresh }),
  ] as const
  const startedAt = performance.now()
  try {
    await compare('quote', quote(servers[0]), quote(servers[1]), { atLeast: 0.85 }, LONG)
    await compare('publish', publish(servers[0]), publish(servers[1]), { atLeast: 0.85 }, LONG)
    const count = await refused(left)
    const seconds = (performance.now() - startedAt) / 1000
    if (count === 0) throw new Error('everything was deleted before the end: the figures say nothing')
    console.log(`    ${inSeconds((ROWS - count) / seconds)} rows deleted meanwhile`)
  } finally {
    await Promise.all(servers.map(server => server.stop()))
    await left.close()
  }
}

const storeOf = ({ DATABASE_URL, DATA_DIR = '' }: Env) => ({
  databaseUrl: DATABASE_URL,
  dataDir: DATA_DIR,
  patient: true,
})

/** Adds refused submissions, with random keys, as in real use. */
async function fill(env: Env, createdAt: number): Promise<void> {
  const store = await openStore(storeOf(env))
  await store.transact(trx =>
    sql`
      insert into attempt ("requestId", "idempotencyKey", "secretHash", fingerprint, hostname, "clientHash", day,
        "nthOfDay", "nthOfClient", "nthOfHostname", state, code, reason, "createdAt", "settledAt")
      with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < ${sql.lit(ROWS)})
      select 'request-' || n, 'key-' || (n * 48271 % 2147483647), ${'s'.repeat(64)}, ${'f'.repeat(64)},
        'site-' || (n * 16807 % 2147483647) || '.com', '', '2020-01-01', n, n, 1, 'rejected', 'review_rejected',
        'empty_page', ${sql.lit(createdAt)}, ${sql.lit(createdAt)} from n`.execute(trx),
  )
  // Otherwise PostgreSQL does so by itself during a measurement.
  if (store.engine === 'postgres') await sql`vacuum analyze attempt`.execute(store.db)
  await store.close()
}

async function refused(store: Store): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from attempt where state = 'rejected'`.execute(store.db)
  return Number(rows[0]?.n)
}

const quote = (server: ServerProcess): Target => ({
  server,
  path: QUOTE_PATH,
  method: 'POST',
  headers: json,
  body: quoteBody,
  status: 200,
})

let published = 0
const publish = (server: ServerProcess): Target => ({
  server,
  path: PUBLISH_PATH,
  method: 'POST',
  status: 201,
  setupRequest: request => ({
    ...request,
    headers: { ...request.headers, ...credentials() },
    body: publishBody(`http://new-site-${++published}.com`),
  }),
})
