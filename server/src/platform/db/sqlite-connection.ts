import Sqlite from 'better-sqlite3'
import type { CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Runner, Snapshot } from './store.ts'

/** During opening, because another process may be creating the same database. */
export const OPEN_TIMEOUT_MS = 5000

/** A connection that can only read, and sees only committed data. @param path of an existing database */
export function openReader(path: string): Sqlite.Database {
  const reader = new Sqlite(path, { timeout: OPEN_TIMEOUT_MS, readonly: true })
  openLog(reader)
  return reader
}

/** Pages that a snapshot keeps in memory. It reads most of them once, and several may be open. */
const SNAPSHOT_CACHE_KIB = 4096

/** Opens a snapshot of the database in a file. */
export function openSqliteSnapshot(path: string): Snapshot {
  const reader = openReader(path)
  reader.pragma(`cache_size = -${SNAPSHOT_CACHE_KIB}`)
  // Deferred, so it takes no lock from those who write.
  reader.exec('begin')
  return { runner: runnerOn(withStatementCache(reader)), close: async () => void reader.close() }
}

/** Opens a connection's log and its index, which stay until the last connection of any process closes. */
export function openLog(connection: Sqlite.Database): void {
  connection.prepare('select 1 from sqlite_schema').all()
}

/**
 * Runs compiled statements immediately. Kysely would take several turns of the event loop for each, which cost more
 * than most statements.
 *
 * @param check called before each statement, to throw if none must run
 */
export const runnerOn = (statements: StatementCache, check = () => {}): Runner & { engine: 'sqlite' } => ({
  engine: 'sqlite',
  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery<Row>) {
    check()
    const prepared = statements.prepare(text)
    if (prepared.reader) return { rows: prepared.all(parameters) as Row[] }
    prepared.run(parameters)
    return { rows: [] }
  },
})

interface Read {
  query: CompiledQuery<unknown>
  resolve(result: { rows: unknown[] }): void
  reject(error: unknown): void
}

/**
 * Runs the reads of one turn of the event loop together, at its end, in one transaction. Locks take half the time of a
 * small read, and reads are faster one after another. Each sees everything that was committed before it was requested.
 *
 * @param check called before the reads, to throw if none must run
 */
export function togetherOn(reader: Sqlite.Database, check: () => void): Runner & { engine: 'sqlite' } {
  const { prepare } = withStatementCache(reader)
  function run(reads: readonly Read[]): void {
    for (const { query, resolve, reject } of reads) {
      try {
        resolve({ rows: prepare(query.sql).all(query.parameters) })
      } catch (error) {
        reject(error)
      }
    }
  }
  const runInTransaction = reader.transaction(run)
  let waiting: Read[] = []
  function turn(): void {
    const reads = waiting
    waiting = []
    try {
      check()
      if (reads.length === 1) run(reads)
      else runInTransaction(reads)
    } catch (error) {
      // Reads that already have their rows are not affected.
      for (const { reject } of reads) reject(error)
    }
  }
  return {
    engine: 'sqlite',
    executeQuery: <Row>(query: CompiledQuery<Row>) =>
      new Promise<{ rows: Row[] }>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(turn)
        waiting.push({ query, resolve: resolve as Read['resolve'], reject })
      }),
  }
}

/** More than the service has: only a few statements vary, with the length of a list. */
const STATEMENTS_MAX = 500

export type StatementCache = ReturnType<typeof withStatementCache>

/** The part of a database that Kysely uses. Prepares each statement once and caches it. */
export function withStatementCache(sqlite: Sqlite.Database) {
  const statements = new LRUCache<string, Sqlite.Statement<unknown[]>>({
    max: STATEMENTS_MAX,
    memoMethod: sql => sqlite.prepare<unknown[]>(sql),
  })
  return {
    prepare: (sql: string): Sqlite.Statement<unknown[]> => statements.memo(sql),
    close: () => void sqlite.close(),
  }
}
