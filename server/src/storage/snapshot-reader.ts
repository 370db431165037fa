import type Sqlite from 'better-sqlite3'
import { withStatementCache } from './statement-cache.ts'

/**
 * Reads committed data on a connection of its own; on the writer's, a read would see the half of a transaction that is
 * under way. The reads of one turn of the event loop share one snapshot, because beginning one costs as much as a small
 * query. It ends before the next turn brings requests, so whoever was told of a commit finds it.
 */
export class SnapshotReader {
  readonly #sqlite: Sqlite.Database
  readonly #database: ReturnType<typeof withStatementCache>

  /** @param sqlite opened read-only */
  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
    this.#database = withStatementCache(sqlite)
  }

  /** Runs one statement. @throws SqliteError */
  all(sql: string, parameters: readonly unknown[]): unknown[] {
    if (!this.#sqlite.inTransaction) {
      this.#database.prepare('begin').run()
      setImmediate(() => this.#endSnapshot())
    }
    return this.#database.prepare(sql).all(parameters)
  }

  close(): void {
    this.#endSnapshot()
    this.#database.close()
  }

  #endSnapshot(): void {
    if (this.#sqlite.open && this.#sqlite.inTransaction) this.#database.prepare('commit').run()
  }
}
