import { sql } from 'kysely'
import { describeBreak, readCheckpointFile, readLogState } from '../../domain/log/break.ts'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { openStorage, readObject } from '../../domain/pictures/storage.ts'
import { type Config, GUESSABLE_KEY } from '../../platform/config/config.ts'
import { databaseFile } from '../../platform/db/data-folder.ts'
import { diskAdvice, isStoreBusy } from '../../platform/db/failures.ts'
import { planMigration } from '../../platform/db/migrate.ts'
import { encodingFault, isolationFault, openUnmigrated, refusedTimeouts } from '../../platform/db/open.ts'
import { durabilityFault, endsStuckStatements } from '../../platform/db/postgres.ts'
import { clientsFor } from '../../platform/db/postgres-hosts.ts'
import { quickCheck } from '../../platform/db/sqlite-files.ts'
import { isPooled } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { type Check, failed, ok, warning } from './finding.ts'
import { checkBackup, checkJobs } from './jobs.ts'
import { checkReviewers } from './reviewers.ts'

const POSTGRES_LEAST = 14
const CLOCK_OFF_MAX_MS = 5_000
/** Longer than any of ours takes. */
const LONG_TRANSACTION_SECONDS = 60

/** Checks the database without migrating it, and whether the service keys belong to it. */
export async function checkDatabase(
  config: Config,
  links: Links,
): Promise<{ checks: Check[]; close(): Promise<void> }> {
  const store = openUnmigrated(config, { patient: false })
  return {
    checks: [
      {
        about: 'database',
        // It reads the whole file.
        maxMs: 30 * MINUTE_MS,
        run: () => (store.engine === 'sqlite' ? sqlite(store, config) : postgres(store)),
      },
      ...[
        { about: 'schema', run: () => schema(store) },
        { about: 'locks', run: () => locks(store) },
        { about: 'pooler', run: () => checkPooler(store, config) },
        { about: 'key', run: () => key(store, config) },
        { about: 'log', run: () => log(store, config) },
        checkJobs(config, store, links),
        checkBackup(config, store),
        checkPictures(config, store),
        { about: 'reviewers', run: () => checkReviewers(config, store, links) },
      ].map(check => ({ ...check, needs: ['database', 'schema'] })),
    ],
    close: () => store.close(),
  }
}

async function sqlite({ db }: Store, { dataDir }: Config) {
  const found = await quickCheck(databaseFile(dataDir))
  if (found !== undefined) {
    return failed(
      `it is damaged (${found}): stop the service, copy DATA_DIR, and restore the last backup (docs/backup-and-upgrade.md)`,
    )
  }
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  return ok(`SQLite ${rows[0]?.version}, and quick_check finds no damage`)
}

const NO_ANSWER = { version: '?', number: '0', isolation: '?', encoding: '?', now: 0 }

async function postgres(store: Store) {
  const startedAt = Date.now()
  const { rows } = await sql<{ version: string; number: string; isolation: string; encoding: string; now: number }>`
    select current_setting('server_version') as version, current_setting('server_version_num') as number,
      current_setting('default_transaction_isolation') as isolation, current_setting('server_encoding') as encoding,
      extract(epoch from clock_timestamp())::float8 * 1000 as now`
    .execute(store.db)
    .catch(error => {
      const why = error.message || error.code
      if (refusedTimeouts(error)) throw refusedTimeouts(error)
      throw new Error(`PostgreSQL cannot be used (${why}): check whether it runs, and DATABASE_URL`, { cause: error })
    })
  const [{ version, number, isolation, encoding, now } = NO_ANSWER] = rows
  if (Number(number) < POSTGRES_LEAST * 10_000) {
    return failed(`PostgreSQL ${version} is too old: use ${POSTGRES_LEAST} or later`)
  }
  const fault = isolationFault(isolation) ?? encodingFault(encoding)
  if (fault) return failed(fault)
  const offMs = Math.max(0, startedAt - now, now - Date.now())
  if (offMs > CLOCK_OFF_MAX_MS) {
    return failed(`the clock of PostgreSQL is ${Math.round(offMs / 1000)} s away from this machine's: let NTP set both`)
  }
  const lossy = await durabilityFault(store)
  return lossy ? warning(lossy) : ok(`PostgreSQL ${version}, and its clock agrees`)
}

async function schema(store: Store) {
  const { schema, newest, due } = await planMigration(store)
  if (schema === undefined) return failed('the database is empty: start the service, or restore a backup')
  if (due.length > 0) {
    const names = due.map(({ name }) => name).join(', ')
    return failed(
      `the next start of this version changes the database (${names}): back it up first; for details, run ${COMMAND} migrate --check`,
    )
  }
  return schema === newest
    ? ok(`up to date (${schema})`)
    : warning(`a newer version has changed the database (${schema}): upgrade the service here, too`)
}

/** Writes what `/readyz` writes, too. */
async function locks(store: Store) {
  const startedAt = performance.now()
  await store.proveWrite().catch(error => {
    const why = isStoreBusy(error) ? 'another process holds the write lock' : error.message + diskAdvice(error)
    throw new Error(`the database takes no writes, so no one can publish: ${why}`)
  })
  const took = `a write takes ${(performance.now() - startedAt).toFixed(1)} ms`
  return store.engine === 'sqlite' ? ok(took) : postgresLocks(store, took)
}

async function postgresLocks({ db }: Store, took: string) {
  const { rows } = await sql<{ waiting: number; long: number }>`
    select count(*) filter (where wait_event_type = 'Lock') as waiting,
      count(*) filter (where state <> 'idle'
        and xact_start < clock_timestamp() - ${LONG_TRANSACTION_SECONDS} * interval '1 second') as long
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
  const [{ waiting, long } = { waiting: 0, long: 0 }] = rows
  if (Number(long) > 0) {
    return warning(
      `${long} of the database's transactions are open for more than ${LONG_TRANSACTION_SECONDS} s: pg_stat_activity names them`,
    )
  }
  return ok(`${took}, ${waiting} wait for a lock, and no transaction is older than ${LONG_TRANSACTION_SECONDS} s`)
}

async function key({ db }: Store, config: Config) {
  const keys = await requireServiceKeys(db, config)
  if (keys.some(each => each.isGuessable)) return warning(GUESSABLE_KEY)
  const where = config.serviceKeys ? 'in SERVICE_KEY' : 'in a private file'
  return ok(
    `${keys.length} ${where}, known to the database: back ${keys.length === 1 ? 'it' : 'them'} up apart from it`,
  )
}

async function log({ db }: Store, { dataDir, baseUrl }: Config) {
  // Before the database, which is never behind it.
  const filed = await readCheckpointFile(dataDir)
  const { entries, broken, last } = await readLogState(db)
  if (broken) return failed(`${describeBreak(broken)}, so it is not signed: run ${COMMAND} log recover`)
  if (filed && filed.size > entries) {
    return failed(
      `it has size ${entries}, but log-checkpoint in DATA_DIR has size ${filed.size}: start the service, then run ${COMMAND} log recover`,
    )
  }
  if (!last) return ok('not signed yet: the service does that')
  const host = baseUrl && new URL(baseUrl).host
  if (host !== undefined && !last.origin.startsWith(`${host}/`)) {
    return warning(
      `it is named ${last.origin}, but the site is at ${host}: if this is a copy of another site, run ${COMMAND} log recover --new-log`,
    )
  }
  return ok(`size ${entries}, signed at size ${last.size} as ${last.origin}`)
}

/** Checks where the pictures of listings are, and whether object storage answers. */
const checkPictures = (config: Config, store: Store): Check => ({
  about: 'pictures',
  async run() {
    const { rows } = await sql<{ here: number; there: number; one: string | null }>`
      select count(case when bytes is not null then 1 end) as here, count("objectName") as there,
        max("objectName") as one from picture`.execute(store.db)
    const { here, there, one } = { here: Number(rows[0]?.here), there: Number(rows[0]?.there), one: rows[0]?.one }
    const storage = openStorage(config)
    if (!storage) {
      return there === 0
        ? ok(`${here} are in the database: STORAGE_URL is not set`)
        : failed(`${there} are in object storage, and STORAGE_URL is not set: set it, or they cannot be shown`)
    }
    if (one) await readObject(storage, one)
    else await storage.list('pictures/')
    const where = `${there} are in object storage, which answers, and ${here} in the database`
    return here > 0 && config.storage?.takesNew
      ? warning(`${where}: move those with “${COMMAND} pictures move --to storage”`)
      : ok(where)
  },
})

/** A busy pool may give another connection of the server to each transaction, so one try proves nothing. */
const TRIES = 5
const CONNECT_TIMEOUT_MS = 5_000

/** Finds out whether a pooler such as PgBouncer stands in front of PostgreSQL, and how it shares connections. */
async function checkPooler(store: Store, { databaseUrl }: Pick<Config, 'databaseUrl'>) {
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
