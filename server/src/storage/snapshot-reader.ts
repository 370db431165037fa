import type Sqlite from 'better-sqlite3'
import { withStatementCache } from './statement-cache.ts'

/**
 * Reads committed data on a connection of its own; on the writer's, a read would see the half of a transaction that is
 * under way. The reads of one turn of the event loop share one snapshot, because beginning one costs as much as a small
 * query. It ends with the turn, and at every commit of this process, so whoever was told of one finds it.
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
      setImmediate(() => this.endSnapshot())
    }
    return this.#database.prepare(sql).all(parameters)
  }

  close(): void {
    this.endSnapshot()
    this.#database.close()
  }

  /** Lets the next read see what was committed meanwhile. */
  endSnapshot(): void {
    if (this.#sqlite.open && this.#sqlite.inTransaction) this.#database.prepare('commit').run()
  }
}
