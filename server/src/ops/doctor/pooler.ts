import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import { endsStuckStatements } from '../../platform/db/postgres.ts'
import { clientsFor } from '../../platform/db/postgres-hosts.ts'
import { isPooled } from '../../platform/db/prepared.ts'
import type { Store } from '../../platform/db/store.ts'
import { failed, ok, warning } from './finding.ts'

/** A busy pool may give another connection of the server to each transaction, so one try proves nothing. */
const TRIES = 5
const CONNECT_TIMEOUT_MS = 5_000

/** Finds out whether a pooler such as PgBouncer stands in front of PostgreSQL, and how it shares connections. */
export async function checkPooler(store: Store, { databaseUrl }: Pick<Config, 'databaseUrl'>) {
  if (databaseUrl === undefined) return []
  if (!(await hasPooler(databaseUrl))) return ok('none between Placard and PostgreSQL')
  if (!(await endsStuckStatements(store))) {
    return warning(
      'it drops Placard’s timeouts, so nothing ends a stuck statement: set connect_query (docs/install.md)',
    )
  }
  const mode = await modeOf(store)
  if (mode === 'statement') return failed('it refuses transactions: set pool_mode = transaction (docs/install.md)')
  return mode === 'transaction'
    ? ok('it shares connections between transactions, as it should')
    : warning(
        'it holds a connection of PostgreSQL for each of Placard’s, so it saves none: set pool_mode = transaction (docs/install.md)',
      )
}

async function hasPooler(databaseUrl: string): Promise<boolean> {
  const { Client, connectionString } = clientsFor(databaseUrl)
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await isPooled(client)
  } finally {
    await client.end().catch(() => {})
  }
}

const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`

/** Two connections that get the same process of PostgreSQL share it. Only the second one has a transaction open. */
function modeOf({ db }: Store): Promise<'transaction' | 'session' | 'statement'> {
  return db.connection().execute(async first => {
    for (let nth = 0; nth < TRIES; nth++) {
      const { rows } = await pid.execute(first)
      try {
        const other = await db.transaction().execute(trx => pid.execute(trx))
        if (other.rows[0]?.pid === rows[0]?.pid) return 'transaction'
      } catch (error) {
        if (/statement pooling/.test((error as Error).message)) return 'statement'
        throw error
      }
    }
    return 'session'
  })
}
