import { createHash, randomUUID } from 'node:crypto'
import { countRows, newestSchema, schemaOf } from '../../platform/db/migrate.ts'
import type { Db } from '../../platform/db/store.ts'
import { type Engine, EXPORTED_TABLES, type Table } from '../../platform/db/tables/index.ts'
import { VERSION } from '../../platform/lib/package.ts'
import { type BlockLine, type End, FORMAT, type Header, type HeaderLine, hashOfBlock, sha256 } from './export-format.ts'
import { rowsAsJson } from './export-rows.ts'
import { fillRow, type PictureReader } from './pictures.ts'

/** A block ends after this many rows or characters, or after one longer row. An import commits after each. */
const BLOCK_ROWS = 10_000
const BLOCK_CHARACTERS = 2 ** 22

/**
 * Returns the header of an export. `db` sees one moment.
 *
 * @param now in Unix milliseconds
 * @throws Error in one line if a newer version has migrated the database: this one would leave out unknown data
 */
export async function headerOf(db: Db, engine: Engine, now: number): Promise<Header> {
  const schema = await schemaOf(db, engine)
  if (schema !== newestSchema())
    throw new Error(
      `the database has schema ${schema}, and this version copies ${newestSchema()}: use the newer version`,
    )
  const keys = await db.selectFrom('service_key').select('checkValue').where('lostAt', 'is', null).execute()
  const tables = []
  for (const table of EXPORTED_TABLES) tables.push({ table, rows: await countRows(db, table) })
  return {
    format: FORMAT,
    id: randomUUID(),
    at: new Date(now).toISOString(),
    version: VERSION,
    schema,
    engine,
    keys: keys.map(({ checkValue }) => checkValue),
    tables,
  }
}

/** The text of an export, in pieces of about a block. `db` sees one moment. */
export async function* exportText(
  db: Db,
  engine: Engine,
  header: Header,
  pictures: PictureReader,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const first: HeaderLine = { placard: 'export', header, sha256: sha256(JSON.stringify(header)) }
  let blocks = 0
  let rows = 0
  const counted = (text: string) => {
    hash.update(text)
    return text
  }
  yield counted(`${JSON.stringify(first)}\n`)
  for (const { table } of header.tables) {
    for await (const block of blocksOf(db, engine, table, pictures)) {
      blocks++
      rows += block.rows
      const line: BlockLine = {
        block: blocks,
        table,
        rows: block.rows,
        sha256: hashOfBlock(blocks, table, block.text),
      }
      yield counted(`${JSON.stringify(line)}\n${block.text}`)
    }
  }
  const end: End = { end: true, blocks, rows, sha256: hash.digest('hex') }
  yield `${JSON.stringify(end)}\n`
}

/** The rows of a table, each as one line. */
async function* blocksOf(db: Db, engine: Engine, table: Table, pictures: PictureReader) {
  let lines: string[] = []
  let characters = 0
  const block = () => ({ rows: lines.length, text: `${lines.join('\n')}\n` })
  for await (const stored of rowsAsJson(db, engine, table)) {
    const row = table === 'picture' ? await fillRow(stored, pictures) : stored
    lines.push(row)
    characters += row.length
    if (lines.length < BLOCK_ROWS && characters < BLOCK_CHARACTERS) continue
    yield block()
    lines = []
    characters = 0
  }
  if (lines.length > 0) yield block()
}
