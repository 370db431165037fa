import { sql } from 'kysely'
import { type KeySettings, refuseWithoutKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { type Reconciled, reconcile } from '../../domain/payments/reconcile.ts'
import { countRows, inTurn, migrateTo, schemaOf } from '../../platform/db/migrate.ts'
import { openUnmigrated, orClose, type StoreSettings } from '../../platform/db/open.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import type { Table } from '../../platform/db/tables/index.ts'
import { beginImport, endImport, findUnfinishedImport, noteBlock } from '../../platform/db/unfinished-import.ts'
import { counted } from '../../platform/lib/text.ts'
import type { Header } from './export-format.ts'
import { addRows, type Column, columnsOf } from './export-rows.ts'
import type { ExportFile } from './read-export.ts'

export interface Imported {
  rows: number
  /** Blocks that were already imported. */
  skipped: number
  reconciled: Reconciled
}

/**
 * Fills an empty database from an export, or continues an earlier import of the same export. Each block and its record
 * are one transaction.
 *
 * @throws Error in one line if the database is not empty, a key is missing, or the export is damaged
 */
export async function importInto(
  settings: StoreSettings & KeySettings,
  { header, blocks }: ExportFile,
  now: number,
): Promise<Imported> {
  refuseWithoutKeys(header.keys, settings)
  await using store = openUnmigrated(settings)
  await orClose(store, 'used', schemaOf(store.db, store.engine))
  const skipped = await begin(store, header)
  const columns = new Map<Table, Column[]>()
  for await (const { block, table, json } of blocks) {
    if (block <= skipped) continue
    const known = columns.get(table) ?? (await columnsOf(store.db, store.engine, table))
    columns.set(table, known)
    refuseOtherColumns(table, known, json)
    await store.transact(async trx => {
      await noteBlock(trx, header.id, block)
      await addRows(trx, store.engine, { table, columns: known, json })
    })
  }
  await finish(store, header)
  const rows = header.tables.reduce((sum, each) => sum + each.rows, 0)
  return { rows, skipped, reconciled: await reconcile(store, now) }
}

/** @returns how many blocks were already imported */
const begin = (store: Store, { id, schema, tables }: Header): Promise<number> =>
  inTurn(store, async trx => {
    const unfinished = await findUnfinishedImport(trx, store.engine)
    if (unfinished && unfinished.id !== id) {
      throw new Error(
        'an import of another export into this database has begun: continue with that, or use an empty database',
      )
    }
    if (unfinished) return unfinished.blocks
    const present = await schemaOf(trx, store.engine)
    if (present === undefined) await migrateTo(trx, store.engine, schema)
    else if (present !== schema) throw notEmpty(`it has schema ${present}, and the export has ${schema}`)
    for (const { table } of tables) {
      const rows = await countRows(trx, table)
      if (rows > 0) throw notEmpty(`${table} has ${counted(rows, 'row')}`)
    }
    await beginImport(trx, store.engine, id)
    return 0
  })

/** @throws Error in one line if a row does not have exactly the columns of its table */
function refuseOtherColumns(table: Table, columns: readonly Column[], json: string): void {
  const names = new Set(columns.map(({ name }) => name))
  for (const row of (JSON.parse(json) as unknown[]).map(Object)) {
    const given = Object.keys(row)
    const other = given.find(name => !names.has(name)) ?? columns.find(({ name }) => !(name in row))?.name
    if (other === undefined && given.length === names.size) continue
    throw new Error(
      `a row of ${table} ${names.has(other ?? '') ? 'lacks the column' : 'has another column,'} ${other}: use a file that Placard wrote`,
    )
  }
}

const notEmpty = (why: string) =>
  new Error(`the database is not empty (${why}): use a new DATA_DIR, or an empty database`)

/** Checks that all rows were imported, and migrates the database to this version. */
async function finish(store: Store, { tables }: Header): Promise<void> {
  await inTurn(store, async trx => {
    for (const { table, rows } of tables) {
      const found = await countRows(trx, table)
      if (found !== rows)
        throw new Error(`${table} has ${counted(found, 'row')}, and the export ${rows}: use an empty database`)
      if (store.engine === 'postgres') await setSequence(trx, table)
    }
    await endImport(trx)
    await migrateTo(trx, store.engine)
  })
  if (store.engine === 'postgres') await sql`analyze`.execute(store.db)
}

/** New rows get ids after those of imported rows. */
async function setSequence(db: Db, table: Table): Promise<void> {
  const { rows } = await sql<{ sequence: string }>`
    select pg_get_serial_sequence(${table}, 'id') as sequence from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and column_name = 'id'
      and column_default like 'nextval%'`.execute(db)
  for (const { sequence } of rows) {
    await sql`select setval(${sequence}, max(id)) from ${sql.table(table)}`.execute(db)
  }
}
