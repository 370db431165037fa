import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import type { Engine, Table } from '../../platform/db/tables/index.ts'

/** How many rows of a table are in memory at a time on PostgreSQL; few if they contain pictures. */
const ROWS_AT_ONCE = 2000
const LARGE_ROWS_AT_ONCE = 10

/** Every row of a table as the text of a JSON object, in bounded memory. `db` sees one moment. */
export async function* rowsAsJson(db: Db, engine: Engine, table: Table): AsyncGenerator<string> {
  const columns = await columnsOf(db, engine, table)
  if (engine === 'postgres') return yield* throughCursor(db, table, columns)
  const pairs = columns.map(
    ({ name, kind }) => sql`${sql.lit(name)}, ${kind === 'bytes' ? hexOf(name) : sql.ref(name)}`,
  )
  const query = db.selectFrom(table).select(sql<string>`json_object(${sql.join(pairs)})`.as('json'))
  for await (const { json } of query.stream()) yield json
}

const hexOf = (name: string) => sql`iif(${sql.ref(name)} is null, null, lower(hex(${sql.ref(name)})))`

async function* throughCursor(db: Db, table: Table, columns: Column[]): AsyncGenerator<string> {
  const selected = columns.map(({ name, kind }) =>
    kind === 'bytes' ? sql`encode(${sql.ref(name)}, 'hex') as ${sql.ref(name)}` : sql.ref(name),
  )
  const atOnce = columns.some(({ kind }) => kind === 'bytes') ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE
  await sql`declare moved no scroll cursor for
    select row_to_json(r)::text as json from (select ${sql.join(selected)} from ${sql.table(table)}) as r`.execute(db)
  for (;;) {
    const { rows } = await sql<{ json: string }>`fetch ${sql.lit(atOnce)} from moved`.execute(db)
    for (const { json } of rows) yield json
    if (rows.length < atOnce) break
  }
  await sql`close moved`.execute(db)
}

/**
 * Adds rows to a table.
 *
 * @param json text of a JSON array of objects, as `rowsAsJson` makes them
 */
export async function addRows(
  db: Db,
  engine: Engine,
  { table, columns, json }: { table: Table; columns: readonly Column[]; json: string },
): Promise<void> {
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  if (engine === 'postgres') {
    const types = columns.map(
      ({ name, kind }) => sql`${sql.ref(name)} ${sql.raw(kind === 'number' ? 'bigint' : 'text')}`,
    )
    const values = columns.map(({ name, kind }) =>
      kind === 'bytes' ? sql`decode(${sql.ref(name)}, 'hex')` : sql.ref(name),
    )
    await sql`insert into ${sql.table(table)} (${names})
      select ${sql.join(values)} from json_to_recordset(cast(${json} as json)) as r (${sql.join(types)})`.execute(db)
    return
  }
  const values = columns.map(({ name, kind }) => {
    const value = sql<SqlBool>`value ->> ${sql.lit(name)}`
    return kind === 'bytes' ? sql`unhex(${value})` : value
  })
  await sql`insert into ${sql.table(table)} (${names})
    select ${sql.join(values)} from jsonb_each(${json})`.execute(db)
}

export interface Column {
  name: string
  kind: 'text' | 'number' | 'bytes'
}

/** Returns the stored columns of a table, without computed ones. */
export async function columnsOf(db: Db, engine: Engine, table: Table): Promise<Column[]> {
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string; type: string }>`select name, type from pragma_table_info(${table}) order by cid`
    : sql<{ name: string; type: string }>`
        select column_name as name, data_type as type from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
        order by ordinal_position`
  ).execute(db)
  return rows.map(({ name, type }) => ({ name, kind: kindOf(table, type.toLowerCase()) }))
}

/** @throws Error for an unknown type, so that the test of exports finds it */
function kindOf(table: Table, type: string): Column['kind'] {
  if (type === 'text') return 'text'
  if (type === 'bigint' || type === 'integer') return 'number'
  if (type === 'blob' || type === 'bytea') return 'bytes'
  throw new Error(`${table} has a column of type ${type}, which cannot be moved`)
}
