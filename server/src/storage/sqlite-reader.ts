import Sqlite from 'better-sqlite3'
import type { CompiledQuery } from 'kysely'
import type { Runner } from './statement.ts'
import type { StatementCache } from './statement-cache.ts'

/** While opening, since another process may be creating the same database. */
export const OPEN_TIMEOUT_MS = 5000

/** A connection that can only read, and sees only committed data. @param path of an existing database */
export function openReader(path: string): Sqlite.Database {
  const reader = new Sqlite(path, { timeout: OPEN_TIMEOUT_MS, readonly: true })
  openLog(reader)
  return reader
}

/** Opens a connection's log and its index, which stay until the last connection of any process closes. */
export function openLog(connection: Sqlite.Database): void {
  connection.prepare('select 1 from sqlite_schema').all()
}

/**
 * Runs compiled statements at once. Kysely would take several turns for each, which cost more than most of them.
 *
 * @param check called before each statement, to throw where none may be run
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
