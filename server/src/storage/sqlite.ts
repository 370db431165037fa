import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { databaseFile, makeDataDir } from './data-dir.ts'
import { groupCommit } from './group-commit.ts'
import type { Database } from './schema.ts'
import { withStatementCache } from './statement-cache.ts'
import type { Store } from './store.ts'

/** While opening, other processes may be making the same database. */
const OPEN_TIMEOUT_MS = 5000

/** The driver is synchronous: what it waits for a lock, everything waits. So it waits little, and we ask again. */
const BUSY_TIMEOUT_MS = 10
const LOCK_POLL_MS = 40
const LOCK_WAIT_MS = 5000

/** Opens `placard.db` in a folder, made where missing. @throws Error in one line */
export function openSqlite(dataDir: string): Store {
  const file = openFile(dataDir)
  const db = new Kysely<Database>({ dialect: new ImmediateSqliteDialect(file) })
  // A connection of its own: on the writer's, a read would see the half of a transaction that is under way.
  const reader = withStatementCache(openFile(dataDir, { readonly: true }))
  return {
    engine: 'sqlite',
    db,
    read: async <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]) =>
      reader.prepare(query.sql).all(parameters) as Row[],
    transact: groupCommit(db),
    async close() {
      // The last connection to close folds the log into the database, which a reader may not.
      reader.close()
      await db.destroy()
    },
  }
}

function openFile(dataDir: string, { readonly = false } = {}): Sqlite.Database {
  makeDataDir(dataDir)
  try {
    const path = databaseFile(dataDir)
    // For its owner only, also in a folder that is open to others; the log beside it takes the same mode.
    closeSync(openSync(path, 'a', 0o600))
    const sqlite = new Sqlite(path, { timeout: OPEN_TIMEOUT_MS, readonly })
    if (readonly) return sqlite
    // Of a new database. Half the usual: a commit writes whole pages, and a payment touches some two dozen.
    sqlite.pragma('page_size = 2048')
    sqlite.pragma('journal_mode = WAL')
    // FULL syncs the log at every commit: a receipt that was sent survives a power cut.
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    // From here on, who waits for the lock waits without holding up the process: see beginTransaction.
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return sqlite
  } catch (error) {
    throw new Error(`the database in DATA_DIR ${dataDir} cannot be opened: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: ReturnType<typeof withStatementCache>

  constructor(sqlite: Sqlite.Database) {
    const database = withStatementCache(sqlite)
    super({ database })
    this.#database = database
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter()
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver({ database: this.#database })
  }
}

/**
 * Runs migrations in a transaction, which Kysely does not do by itself on SQLite: one that is killed leaves nothing
 * behind, and of processes that start together one migrates while the others wait.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/**
 * Takes the write lock when a transaction begins. With SQLite's deferred default, a transaction that reads first and
 * writes later fails at once when another process wrote in between, whatever the busy timeout.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
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
}
