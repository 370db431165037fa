import { CompiledQuery } from 'kysely'
import type { Store } from './store.ts'
import type { Engine } from './tables/index.ts'

interface Version {
  data_version: unknown
}

/**
 * SQLite: differs if any other connection, of any process, has committed since this one last read. Reads have a
 * connection that never writes.
 *
 * PostgreSQL: the transactions that a statement sees, of this start of the server. Their ids never repeat on one server,
 * but another server, or the same one after a restore, can assign them again.
 */
const QUERIES: Record<Engine, CompiledQuery<Version>> = {
  sqlite: CompiledQuery.raw('pragma data_version') as CompiledQuery<Version>,
  postgres: CompiledQuery.raw(
    `select pg_current_snapshot() || ' ' || pg_postmaster_start_time() as data_version`,
  ) as CompiledQuery<Version>,
}

/**
 * Returns what identifies the last commit: if it is the same twice, nothing in the database changed in between. It
 * differs after every commit that was acknowledged before the call, by whichever process.
 */
export async function lastCommit(store: Store): Promise<unknown> {
  const { rows } = await store.executeQuery(QUERIES[store.engine])
  return (rows[0] as Version).data_version
}
