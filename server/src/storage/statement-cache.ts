import type Sqlite from 'better-sqlite3'

/** More than the service has: only the lengths of a few lists make a statement another one. */
const STATEMENTS_MAX = 500

/** The part of a database that Kysely uses. Each statement is prepared once, and kept. */
export function withStatementCache(sqlite: Sqlite.Database) {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>()
  return {
    prepare(sql: string): Sqlite.Statement<unknown[]> {
      let statement = statements.get(sql)
      if (!statement) {
        statement = sqlite.prepare<unknown[]>(sql)
        const [oldest] = statements.keys()
        if (oldest !== undefined && statements.size >= STATEMENTS_MAX) statements.delete(oldest)
        statements.set(sql, statement)
      }
      return statement
    },
    close: () => void sqlite.close(),
  }
}
