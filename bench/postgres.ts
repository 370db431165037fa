import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../server/test/support/postgres.ts'

const TRIES = 100

/**
 * Starts a PostgreSQL server of its own, which can be killed.
 *
 * @param isSynced whether it syncs the disk as in production. Otherwise, a benchmark measures Placard, not the disk
 */
export async function startPostgres({ isSynced = false } = {}) {
  const flags = isSynced ? [] : ['fsync=off', 'full_page_writes=off', 'autovacuum=off']
  const server = await startEmbedded([...flags, 'max_connections=300'].flatMap(flag => ['-c', flag]))
  const { port } = new URL(server.url)
  const untilItAnswers = () => untilTrue(() => query(`${server.url}/postgres`, 'select 1'))
  return {
    port: Number(port),
    /** Creates an empty database. @returns the settings for it */
    async database(name: string) {
      await query(`${server.url}/postgres`, `create database ${name}`)
      return { DATABASE_URL: `${server.url}/${name}`, SERVICE_KEY: randomBytes(32).toString('hex') }
    },
    /** Kills one connection's process with SIGKILL: the server then drops all others, and recovers. */
    async killBackend(name: string) {
      const busiest = `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()
        order by state = 'active' desc, query_start desc limit 1`
      const [found] = await query<{ pid: number }>(`${server.url}/${name}`, busiest)
      if (found) process.kill(found.pid, 'SIGKILL')
      await sleep(100)
      await untilItAnswers()
    },
    /** Kills the server with SIGKILL, and starts it again. */
    async killServer() {
      const [pid] = readFileSync(join(server.databaseDir, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
      // Its own processes notice after a moment, and until then it refuses to start.
      await untilTrue(() => server.startAgain())
      await untilItAnswers()
    },
    stop: () => server.stop(),
  }
}

/** Repeats what fails for a while. @throws Error if it fails for ten seconds */
async function untilTrue(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await sleep(100)
    const worked = await work().then(
      () => true,
      () => false,
    )
    if (worked) return
  }
  throw new Error('PostgreSQL does not answer')
}

/** Runs a statement on a connection of its own. @param server its address, or how to connect */
export async function query<Row extends pg.QueryResultRow>(
  server: string | pg.ClientConfig,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client(server)
  // Each connection hears of a killed server.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
