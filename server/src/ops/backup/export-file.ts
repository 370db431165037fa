import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { pipeline as pipe, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Db, readOneMoment, type Store } from '../../platform/db/store.ts'
import type { Header } from './export-format.ts'
import type { PictureReader } from './pictures.ts'
import { type ExportFile, readExport } from './read-export.ts'
import { exportText, headerOf } from './write-export.ts'

/** The name of standard input or output, as plain text. */
export const STANDARD = '-'

/**
 * Writes an export of the database as of one moment, compressed if the name ends in `.gz` or `.zst`. The file gets its
 * name only when it is complete. A killed export leaves one that ends in `.unfinished`.
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
  const unfinished = `${file}.unfinished`
  const to = file === STANDARD ? process.stdout : createWriteStream(unfinished, { mode: 0o600, flush: true })
  try {
    const written = await readOneMoment(store, async db => {
      const header = await headerOf(db, store.engine, now)
      const read = await alongside(db)
      const text = Readable.from(exportText(db, store.engine, header, pictures))
      await pipeline([text, ...packersFor(file), to])
      return { header, read }
    })
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
      throw new Error(`${file}: ${(error as Error).message}`, { cause: error })
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
