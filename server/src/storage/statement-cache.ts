import type Sqlite from 'better-sqlite3'

/** The part of a database that Kysely uses. The queries of the service are a fixed set: each is prepared once. */
export function withStatementCache(sqlite: Sqlite.Database) {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>()
  return {
    prepare(sql: string): Sqlite.Statement<unknown[]> {
      let statement = statements.get(sql)
      if (!statement) {
        statement = sqlite.prepare<unknown[]>(sql)
        statements.set(sql, statement)
      }
      return statement
    },
    close: () => void sqlite.close(),
  }
}
