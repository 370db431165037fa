import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely'
import { groupCommit } from './group-commit.ts'
import type { Database } from './schema.ts'
import { SnapshotReader } from './snapshot-reader.ts'
import { withStatementCache } from './statement-cache.ts'
import type { Store } from './store.ts'

/** Opens `placard.db` in a folder, made where missing. @throws Error in one line */
export function openSqlite(dataDir: string): Store {
  const file = openFile(dataDir)
  const db = new Kysely<Database>({ dialect: new ImmediateSqliteDialect(file) })
  const reader = new SnapshotReader(openFile(dataDir, { readonly: true }))
  return {
    engine: 'sqlite',
    db,
    read: async <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]) =>
      reader.all(query.sql, parameters) as Row[],
    transact: groupCommit(db),
    async close() {
      // The last connection to close folds the log into the database, which a reader may not.
      reader.close()
      await db.destroy()
    },
  }
}

function openFile(dataDir: string, { readonly = false } = {}): Sqlite.Database {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const sqlite = new Sqlite(join(dataDir, 'placard.db'), { timeout: 5000, readonly })
    if (readonly) return sqlite
    sqlite.pragma('journal_mode = WAL')
    // FULL syncs the log at every commit: a receipt that was sent survives a power cut.
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    return sqlite
  } catch (error) {
    throw new Error(`cannot open the database in DATA_DIR ${dataDir}: ${(error as Error).message}`, {
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

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver({ database: this.#database })
  }
}

/**
 * Takes the write lock when a transaction begins. With SQLite's deferred default, a transaction that reads first and
 * writes later fails at once when another process wrote in between, whatever the busy timeout.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}
