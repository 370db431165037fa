import type Sqlite from 'better-sqlite3'

/** More than the service has: only a few statements vary, with the length of a list. */
const STATEMENTS_MAX = 500

export type StatementCache = ReturnType<typeof withStatementCache>

/** The part of a database that Kysely uses. Prepares each statement once and keeps it. */
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
