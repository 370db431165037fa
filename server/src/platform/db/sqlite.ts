import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, Kysely, SqliteAdapter, SqliteDialect, SqliteDriver, sql } from 'kysely'
import { databaseFile, makeDataDir, makeFile } from './data-folder.ts'
import {
  OPEN_TIMEOUT_MS,
  openLog,
  openReader,
  runnerOn,
  type StatementCache,
  togetherOn,
  withStatementCache,
} from './sqlite-connection.ts'
import { OpenFiles } from './sqlite-files.ts'
import { GROUP_MAX, groupCommit } from './sqlite-group-commit.ts'
import { ReaderThread } from './sqlite-read-thread.ts'
import { createLedgerQueue, type Store } from './store.ts'
import type { Database } from './tables/index.ts'

/**
 * The driver is synchronous: while it waits for a lock, the whole process waits. So it waits briefly, and the caller
 * retries.
 */
const BUSY_TIMEOUT_MS = 2
const LOCK_POLL_MS = 5
const LOCK_WAIT_MS = 5000
/** 24 days. A timer of more would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * Opens `placard.db` in a folder, and creates either if missing.
 *
 * @param patient ends no slow read
 * @throws Error in one line
 */
export function openSqlite(dataDir: string, { patient }: { patient: boolean }): Store {
  const { writer, reader, files } = openFiles(dataDir)
  const thread = new ReaderThread(databaseFile(dataDir), files, patient ? { readMaxMs: TIMER_MAX_MS } : {})
  const checkFiles = () => files.checkNowAndThen()
  const written = withStatementCache(writer)
  const dialect = Object.assign(new SqliteDialect({ database: writer }), {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new ImmediateSqliteDriver(writer, written, files),
  })
  const db = new Kysely<Database>({ dialect })
  return {
    ...togetherOn(reader, checkFiles),
    address: { engine: 'sqlite', at: databaseFile(dataDir) },
    db,
    onThread: (task, by) => thread.read(task, by),
    transact: groupCommit(db, runnerOn(written, checkFiles)),
    // Transactions that arrive together share one commit.
    ledgerQueue: createLedgerQueue(GROUP_MAX),
    async proveWrite() {
      // Not in a group: if the disk is too full for the probe, smaller writes may still succeed.
      await db.transaction().execute(trx => writeProbe.execute(trx))
    },
    pools: () => ({}),
    async close() {
      // The last connection to close merges the log into the database, which a reader must not do.
      await thread.close()
      reader.close()
      await db.destroy()
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/** As large as a publish, and different each time, because SQLite skips writing identical data. */
const writeProbe = sql`insert into write_probe (id, filler) values (1, randomblob(65536))
  on conflict (id) do update set filler = excluded.filler`

function openFiles(dataDir: string): { writer: Sqlite.Database; reader: Sqlite.Database; files: OpenFiles } {
  makeDataDir(dataDir)
  try {
    const path = databaseFile(dataDir)
    makeFile(path)
    const writer = new Sqlite(path, { timeout: OPEN_TIMEOUT_MS })
    // Only new databases get this page size. It is half the default: a commit writes whole pages, and a payment changes
    // about two dozen.
    writer.pragma('page_size = 2048')
    turnOnLog(writer)
    // Four times the default: pages that change often are copied into the database less often.
    writer.pragma('wal_autocheckpoint = 4000')
    // Twice that. A log that grew during a long read gives its space back afterwards.
    writer.pragma('journal_size_limit = 16384000')
    // A quarter of the driver's default. A commit that rebalanced an index visits every page in memory.
    writer.pragma('cache_size = -4000')
    // FULL syncs the log at every commit, so a receipt that was sent survives a power cut.
    writer.pragma('synchronous = FULL')
    writer.pragma('foreign_keys = ON')
    // Every savepoint stores the pages it changes, to undo it. In a file, they are two thirds of what a publish writes.
    writer.pragma('temp_store = MEMORY')
    // From now on, waiting for the lock no longer blocks the process: see beginTransaction.
    writer.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // A separate connection: on the writer's, a read would see a part of an open transaction.
    openLog(writer)
    const reader = openReader(path)
    return { writer, reader, files: new OpenFiles(path, [`${path}-wal`, `${path}-shm`]) }
  } catch (error) {
    const { message } = error as Error
    throw new Error(`the database in DATA_DIR ${dataDir} cannot be opened: ${message}`, { cause: error })
  }
}

/**
 * Turns on the log of a new database. If another process is writing to it, as when two start together, SQLite waits
 * before it begins a transaction, but not for this.
 */
function turnOnLog(writer: Sqlite.Database): void {
  for (const until = performance.now() + OPEN_TIMEOUT_MS; ; ) {
    try {
      writer.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'SQLITE_BUSY' || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS)
    }
  }
}

/**
 * Runs migrations in a transaction, which Kysely does not do on SQLite. A killed migration changes nothing. If several
 * processes start together, one migrates while the others wait.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/**
 * Takes the write lock when a transaction begins. With SQLite's deferred default, a transaction that reads first and
 * writes later fails at once if another process wrote in between, whatever the busy timeout.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #sqlite: Sqlite.Database
  readonly #files: OpenFiles

  constructor(sqlite: Sqlite.Database, { prepare, close }: StatementCache, files: OpenFiles) {
    const checkedPrepare = (text: string) => {
      files.checkNowAndThen()
      return prepare(text)
    }
    super({ database: { prepare: checkedPrepare, close } })
    this.#sqlite = sqlite
    this.#files = files
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#files.check()
    const giveUpAt = performance.now() + LOCK_WAIT_MS
    for (;;) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'))
        return
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'SQLITE_BUSY' || performance.now() > giveUpAt) throw error
        await sleep(LOCK_POLL_MS)
      }
    }
  }

  /** Reports an outcome only after checking that it is in the file at the path of the database. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#files.check()
  }

  /** A failing disk ends the transaction on its own. A rollback would then fail and hide the original error. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback')
  }
}
