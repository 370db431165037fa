import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../../server/test/support/postgres.ts'

/** A PostgreSQL that syncs the disk as in life, and can be killed. */
export interface MortalPostgres {
  url: string
  port: number
  /** Creates an empty database. @returns the settings for it */
  database(name: string): Promise<{ DATABASE_URL: string; SERVICE_KEY: string }>
  /** Kills one connection's process with SIGKILL: the server then drops all others, and recovers by itself. */
  killBackend(name: string): Promise<void>
  /** Kills the server with SIGKILL, and starts it again. */
  killServer(): Promise<void>
  stop(): Promise<void>
}

const START_TRIES = 100

export async function startMortal(): Promise<MortalPostgres> {
  const server = await startEmbedded(['-c', 'max_connections=150'])
  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    async database(name) {
      await query(`${server.url}/postgres`, `create database ${name}`)
      return { DATABASE_URL: `${server.url}/${name}`, SERVICE_KEY: randomBytes(32).toString('hex') }
    },
    async killBackend(name) {
      const busiest = `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()
        order by state = 'active' desc, query_start desc limit 1`
      const [found] = await query<{ pid: number }>(`${server.url}/${name}`, busiest)
      if (found) process.kill(found.pid, 'SIGKILL')
      await sleep(100)
      await untilItAnswers(server.url)
    },
    async killServer() {
      const [pid] = readFileSync(join(server.databaseDir, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
      // Its own processes notice after a moment, and until then it refuses to start.
      for (let tries = 0; tries < START_TRIES; tries++) {
        await sleep(100)
        const hasStarted = await server.startAgain().then(
          () => true,
          () => false,
        )
        if (hasStarted) return untilItAnswers(server.url)
      }
      throw new Error('PostgreSQL did not start again')
    },
    stop: () => server.stop(),
  }
}

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    const answers = await query(`${url}/postgres`, 'select 1').catch(() => undefined)
    if (answers) return
    await sleep(100)
  }
  throw new Error('PostgreSQL does not answer')
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url)
  // Whoever kills a server is told so on each connection.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<T>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
