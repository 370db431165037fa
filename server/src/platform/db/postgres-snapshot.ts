import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { MINUTE_MS } from '../lib/time.ts'
import { CONNECT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS, TYPES } from './postgres.ts'
import { clientsFor } from './postgres-hosts.ts'
import type { Snapshot } from './store.ts'

/** Longer than a stream may wait for its reader, and short enough that a lost process does not hold back vacuum. */
const IDLE_MAX_MS = MINUTE_MS

/** Opens a snapshot on a new connection, so that a long read takes none of the few that requests share. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const { Client, connectionString } = clientsFor(url)
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 2000,
    idle_in_transaction_session_timeout: IDLE_MAX_MS,
    application_name: 'placard',
    types: TYPES,
  })
  // The statement in progress, or the next one, reports that the connection broke. Unheard, it would end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query('begin isolation level repeatable read, read only')
  return {
    runner: {
      engine: 'postgres',
      async executeQuery<Row>({ sql: text, parameters }: CompiledQuery<Row>) {
        const { rows } = await client.query<Row & pg.QueryResultRow>(text, [...parameters])
        return { rows }
      },
    },
    close: () => client.end().catch(() => {}),
  }
}
