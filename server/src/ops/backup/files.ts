import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import { OPEN_TIMEOUT_MS } from '../../platform/db/sqlite-connection.ts'
import type { Header } from './export-format.ts'

/** Names in a backup's folder. */
export const MANIFEST = 'manifest.json'
export const EXPORT = 'placard.jsonl.zst'
export const DATABASE = 'placard.db'
export const SANDBOX = 'sandbox.db'
export const KEY = 'service.key'

/** The description of a backup, in its folder. */
export interface Manifest extends Header {
  placard: 'backup'
  /** By name. */
  files: Record<string, { bytes: number; sha256: string }>
}

/** Returns a backup's manifest. @throws Error in one line if the folder contains no backup, or an incomplete one */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST)
  if (!existsSync(file)) {
    throw new Error(`${folder} is not a complete backup: ${MANIFEST} is missing`)
  }
  let manifest: Partial<Manifest> | null
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // It may be a good backup that another user owns.
    if (code !== undefined) throw new Error(`${file} cannot be read: ${message}`, { cause: error })
    manifest = null
  }
  if (!isManifest(manifest)) throw new Error(`${file} is damaged: use another backup`)
  const names = Object.keys(manifest.files)
  const other = names.find(name => !FILES.includes(name))
  if (other !== undefined) {
    throw new Error(`${file} lists ${other}, which no backup has: use a backup that Placard made`)
  }
  if (names.includes(DATABASE) === names.includes(EXPORT)) {
    throw new Error(`${file} must list either ${DATABASE} or ${EXPORT}: use a backup that Placard made`)
  }
  return manifest
}

/** Everything that a backup may contain. */
export const FILES: readonly string[] = [DATABASE, EXPORT, SANDBOX, KEY]

const isManifest = (read: Partial<Manifest> | null): read is Manifest =>
  read?.placard === 'backup' &&
  typeof read.format === 'number' &&
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(`${read.at}`) &&
  /^[\w.+-]+$/.test(`${read.version}`) &&
  /^\d+$/.test(`${read.schema}`) &&
  isListOf(read.keys, each => typeof each === 'string') &&
  isListOf(read.tables, each => typeof each?.table === 'string' && typeof each.rows === 'number') &&
  isListOf(Object.values(read.files ?? {}), each => typeof each?.bytes === 'number' && typeof each.sha256 === 'string')

/** It was read from a file, so each item may be anything. */
const isListOf = <T>(list: readonly T[] | undefined, isItem: (item: T | null) => boolean): boolean =>
  Array.isArray(list) && list.every(isItem)

/** Size and SHA-256 of a file. */
export async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
    }
  })
  return { bytes, sha256: hash.digest('hex') }
}

/** @throws Error in one line if a file is missing, or differs from what was backed up */
export async function checkFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const [name, { bytes, sha256 }] of Object.entries(files)) {
    const path = join(folder, name)
    if (!existsSync(path)) throw new Error(`${path} is missing: use another backup`)
    const found = await describeFile(path)
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new Error(`${path} was changed or damaged: use another backup`)
    }
  }
}

/**
 * Copies an SQLite database as of one moment, while others use it. Reads it through SQLite only (`makeFile` explains
 * why), and writers continue during this time. The copy is not in WAL mode until it is opened.
 *
 * @param to a path without a file
 */
export function copySqlite(from: string, to: string): void {
  using database = openSqlite(from, { timeout: OPEN_TIMEOUT_MS, readonly: true })
  database.prepare('vacuum into ?').run(to)
}

/** Opens an SQLite file, and closes it at the end of the block. Reading only would leave its log next to it. */
export function openSqlite(path: string, options?: Sqlite.Options): Sqlite.Database & Disposable {
  const database = new Sqlite(path, options)
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() })
}

/** @throws Error in one line if SQLite finds the file damaged */
export function checkSqlite(path: string): void {
  using database = openSqlite(path, { readonly: true })
  const found = database.pragma('integrity_check(1)', { simple: true })
  if (found !== 'ok') throw new Error(`${path} is damaged: ${found}`)
}
