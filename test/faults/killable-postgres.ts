import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../bench/postgres.ts'
import { query } from '../../server/test/support/postgres.ts'

const TRIES = 100

/** Starts a PostgreSQL server of its own, which syncs the disk as in production, and can be killed. */
export async function startKillable() {
  const { server, database, stop } = await startPostgres({ isSynced: true })
  const untilItAnswers = () => untilTrue(() => query(`${server.url}/postgres`, 'select 1'))
  return {
    port: Number(new URL(server.url).port),
    database,
    stop,
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
