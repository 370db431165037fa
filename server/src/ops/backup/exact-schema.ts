import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { databaseFile } from '../../platform/db/data-folder.ts'
import { migrateTo } from '../../platform/db/migrate.ts'
import { openSqlite } from '../../platform/db/sqlite.ts'

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
  const found = readDefinitions(path)
  const [unknown] = [...found.keys()].filter(name => !expected.has(name))
  if (unknown !== undefined) throw differs(path, schema, `has ${unknown}, which Placard never creates: drop it`)
  for (const [name, definition] of expected) {
    if (!found.has(name)) throw differs(path, schema, `lacks ${name}: use another backup`)
    if (found.get(name) !== definition)
      throw differs(path, schema, `has a ${name} that differs from Placard's: use another backup`)
  }
}

const differs = (path: string, schema: string, how: string) =>
  new Error(`${basename(path, '.unfinished')} is not a database of schema ${schema}: it ${how}`)

async function definitionsOf(schema: string): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-schema-'))
  try {
    const store = openSqlite(folder)
    try {
      await migrateTo(store.db, 'sqlite', schema)
    } finally {
      await store.close()
    }
    return readDefinitions(databaseFile(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Every table, index, trigger and view with its definition. The tables inside FTS5 belong to the SQLite version. */
function readDefinitions(path: string): Map<string, string> {
  // Not read-only, because that would leave its log next to it.
  const database = new Sqlite(path)
  try {
    const inside = database.prepare(`select name from pragma_table_list where type = 'shadow'`).pluck().all()
    const rows = database
      .prepare(`select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\'`)
      .all() as { type: string; name: string; sql: string }[]
    const ours = rows.filter(({ name }) => !inside.includes(name) && !LITESTREAM.includes(name))
    return new Map(ours.map(({ type, name, sql }) => [`the ${type} ${name}`, sql]))
  } finally {
    database.close()
  }
}
