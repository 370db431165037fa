import { randomBytes } from 'node:crypto'
import { query, startEmbedded } from '../server/test/support/postgres.ts'

/**
 * Starts a PostgreSQL server of its own.
 *
 * @param isSynced whether it syncs the disk as in production. Otherwise, a benchmark measures Placard, not the disk
 */
export async function startPostgres({ isSynced = false } = {}) {
  const flags = isSynced ? [] : ['fsync=off', 'full_page_writes=off', 'autovacuum=off']
  const server = await startEmbedded([...flags, 'max_connections=300'].flatMap(flag => ['-c', flag]))
  return {
    server,
    /** Creates an empty database. @returns the settings for it */
    async database(name: string) {
      await query(`${server.url}/postgres`, `create database ${name}`)
      return { DATABASE_URL: `${server.url}/${name}`, SERVICE_KEY: randomBytes(32).toString('hex') }
    },
    stop: () => server.stop(),
  }
}
