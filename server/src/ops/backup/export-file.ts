import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { pipeline as pipe, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { countRows, newestSchema, schemaOf } from '../../platform/db/migrate.ts'
import { type Db, readOneMoment, type Store } from '../../platform/db/store.ts'
import { type Engine, EXPORTED_TABLES, type Table } from '../../platform/db/tables/index.ts'
import { VERSION } from '../../platform/lib/package.ts'
import { type BlockLine, type End, FORMAT, type Header, type HeaderLine, hashOfBlock, sha256 } from './export-format.ts'
import { rowsAsJson } from './export-rows.ts'
import { fillRow, type PictureReader } from './pictures.ts'
import { type ExportFile, readExport } from './read-export.ts'

/** The name of standard input or output, as plain text. */
export const STANDARD = '-'

/**
 * Writes an export of the database as of one moment, compressed if the name ends in `.gz` or `.zst`. The file gets its
 * name only when it is complete. A killed export leaves one with `.unfinished-` in its name.
 *
 * @param with `alongside`, which reads the same moment, and a reader of pictures in object storage
 * @throws Error in one line if the file exists, or it cannot be written
 */
export async function writeExport<T>(
  store: Store,
  file: string,
  now: number,
  { alongside, pictures }: { alongside: (db: Db) => Promise<T>; pictures: PictureReader },
): Promise<{ header: Header; read: T }> {
  refuseExisting(file)
  // Of its own, so that two exports to one file never mix.
  const unfinished = `${file}.unfinished-${randomBytes(3).toString('hex')}`
  const to = file === STANDARD ? process.stdout : createWriteStream(unfinished, { mode: 0o600, flush: true })
  try {
    const written = await readOneMoment(store, async db => {
      const header = await headerOf(db, store.engine, now)
      const read = await alongside(db)
      const text = Readable.from(exportText(db, store.engine, header, pictures))
      await pipeline([text, ...packersFor(file), to])
      return { header, read }
    })
    refuseExisting(file)
    if (file !== STANDARD) renameSync(unfinished, file)
    return written
  } catch (error) {
    if (file !== STANDARD) rmSync(unfinished, { force: true })
    throw new Error(`${file} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** Opens an export to read it. @throws Error in one line that names the file; so do its blocks */
export function withExport<T>(file: string, work: (exported: ExportFile) => Promise<T>): Promise<T> {
  const from: Readable = file === STANDARD ? process.stdin : createReadStream(file)
  const [unpacker] = unpackersFor(file)
  // The reader of the uncompressed text gets the file's error.
  const text: Readable = unpacker ? pipe(from, unpacker, () => {}) : from
  return readExport(text)
    .then(work)
    .catch(error => {
      const { code, message } = error as NodeJS.ErrnoException
      const why = code === 'EISDIR' ? 'this is a folder; restore-backup reads the folder of a backup' : message
      throw new Error(`${file}: ${why}`, { cause: error })
    })
    .finally(() => from.destroy())
}

/** @throws Error in one line: an existing file stays as it is */
export function refuseExisting(path: string): void {
  if (path !== STANDARD && existsSync(path)) throw new Error(`${path} exists: choose another name`)
}

function packersFor(file: string) {
  if (file.endsWith('.zst')) return [createZstdCompress()]
  return file.endsWith('.gz') ? [createGzip({ level: 4 })] : []
}

function unpackersFor(file: string) {
  if (file.endsWith('.zst')) return [createZstdDecompress()]
  return file.endsWith('.gz') ? [createGunzip()] : []
}

/** A block ends after this many rows or characters, or after one longer row. An import commits after each. */
const BLOCK_ROWS = 10_000
const BLOCK_CHARACTERS = 2 ** 22

/**
 * Returns the header of an export. `db` sees one moment.
 *
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
