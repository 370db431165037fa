import { basename } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { migrateTo } from '../../platform/db/migrate.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { openSqlite } from './files.ts'

/** Tables that Litestream adds to the databases it copies. They are never read. */
const LITESTREAM = ['_litestream_seq', '_litestream_lock']

/**
 * Checks that a database has the tables, indexes and triggers of one schema, and no others: a trigger or a view in a
 * foreign file would run with the service's rights.
 *
 * @param path of a file that is not in use; its content stays as it is
 * @throws Error in one line that names the first difference
 */
export async function requireExactSchema(path: string, schema: string): Promise<void> {
  const expected = await definitionsOf(schema)
  using database = openSqlite(path)
  const found = readDefinitions(database)
  const [unknown] = [...found.keys()].filter(name => !expected.has(name))
  if (unknown !== undefined) throw differs(path, schema, `has ${unknown}, which Placard never creates: drop it`)
  for (const [name, definition] of expected) {
    if (!found.has(name)) throw differs(path, schema, `lacks ${name}: use another backup`)
    if (found.get(name) !== definition)
      throw differs(path, schema, `differs from Placard's in ${name}: use another backup`)
  }
}

const differs = (path: string, schema: string, how: string) =>
  new Error(`${basename(path)} is not a database of schema ${schema}: it ${how}`)

/** Migrates a database in memory, because the container has no folder for temporary files. */
async function definitionsOf(schema: string): Promise<Definitions> {
  const database = new Sqlite(':memory:')
  await using db = new Kysely<Database>({ dialect: new SqliteDialect({ database }) })
  await migrateTo(db, 'sqlite', schema)
  return readDefinitions(database)
}

type Definitions = Map<string, string>

/** Every table, index, trigger and view with its definition. The tables inside FTS5 belong to the SQLite version. */
function readDefinitions(database: Sqlite.Database): Definitions {
  const inside = database.prepare(`select name from pragma_table_list where type = 'shadow'`).pluck().all()
  const rows = database
    .prepare(`select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\'`)
    .all() as { type: string; name: string; sql: string }[]
  const ours = rows.filter(({ name }) => !inside.includes(name) && !LITESTREAM.includes(name))
  return new Map(ours.map(({ type, name, sql }) => [`the ${type} ${name}`, sql]))
}
