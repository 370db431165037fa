import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isS3, type S3Address, type S3Credentials, s3Address } from '../../platform/config/storage.ts'
import { makeDataDir, makeFile } from '../../platform/db/data-folder.ts'
import { AGE, decryptFiles } from './age.ts'
import { openSqlite } from './files.ts'
import { type BackupPlace, isComplete, isNeeded, openPlace } from './places.ts'

interface Access {
  /** Copies are made here, because it must have room for the database anyway. */
  dataDir: string
  s3: S3Credentials | undefined
  /** File with identities of age; undefined without. */
  identity: string | undefined
}

/**
 * Copies a backup to a temporary folder, decrypts it there, and deletes the copy when `work` has ended. If the process
 * is killed, the next restore deletes it.
 *
 * @param from the address of a backup, or of a place with backups, of which it takes the newest
 * @throws Error in one line if there is no complete backup, or it can't be read
 */
export async function withFetched<T>(from: string, access: Access, work: (folder: string) => Promise<T>): Promise<T> {
  const { place, name, files } = await find(from, access.s3)
  const encrypted = files.filter(file => file.endsWith(AGE))
  if (encrypted.length > 0 && access.identity === undefined) {
    throw new Error(`${name} is encrypted: name the file of your age identity with --identity`)
  }
  // The operator believes that it is encrypted, so it may be stored where others can read it.
  if (encrypted.length === 0 && access.identity !== undefined) {
    throw new Error(`${name} is not encrypted: leave out --identity`)
  }
  makeDataDir(access.dataDir)
  const folder = join(access.dataDir, 'restore.unfinished')
  using _folder = emptyFolder(folder)
  try {
    const copy = join(folder, name)
    mkdirSync(copy)
    await place.fetch(name, files, copy)
    if (access.identity !== undefined) await decryptFiles(copy, encrypted, access.identity)
    return await work(copy)
  } catch (error) {
    // By the time it is read, the copy is gone.
    throw new Error((error as Error).message.replaceAll(join(folder, name), from), { cause: error })
  }
}

interface Found {
  place: BackupPlace
  name: string
  files: string[]
}

async function find(from: string, s3: S3Credentials | undefined): Promise<Found> {
  if (!isS3(from) && !statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`there is no folder ${from}: name the folder of a backup, or the place with all of them`)
  }
  const [parent, name] = isS3(from) ? parentOf(from) : [dirname(resolve(from)), basename(resolve(from))]
  if (parent !== undefined && name !== '') {
    const place = openPlace(parent, s3)
    const files = (await place.list(name)).get(name) ?? []
    if (isComplete(files)) return { place, name, files: files.filter(isNeeded) }
  }
  const place = openPlace(from, s3)
  const all = [...(await place.list('placard-'))].filter(([, files]) => isComplete(files)).sort()
  const [newest] = all.slice(-1)
  if (!newest) throw new Error(`${from} is not a complete backup, and contains none: manifest.json is missing`)
  if (new Set(all.map(([each]) => each.split('-')[1])).size > 1) {
    throw new Error(`${from} has backups of several sites, such as ${all[0]?.[0]} and ${newest[0]}: name one`)
  }
  return { place, name: newest[0], files: newest[1].filter(isNeeded) }
}

function parentOf(from: string) {
  const address = addressOf(from)
  const folders = address.prefix.split('/')
  const name = folders.pop() ?? ''
  return [{ ...address, prefix: folders.join('/') }, name] as const
}

function addressOf(from: string): S3Address {
  try {
    return s3Address(from)
  } catch (error) {
    throw new Error(`"${from}" ${(error as Error).message}`, { cause: error })
  }
}

const LOCK = 'lock'

/**
 * Makes an empty folder for an unfinished restore, and deletes it at the end of the block. A killed process releases
 * its lock, and the next one deletes what it left.
 *
 * @throws Error in one line if another process uses the folder
 */
export function emptyFolder(folder: string): Disposable {
  makeDataDir(folder)
  const path = join(folder, LOCK)
  makeFile(path)
  const lock = openSqlite(path, { timeout: 0 })
  // The disk may be full.
  lock.pragma('journal_mode = memory')
  try {
    lock.exec('begin immediate')
  } catch (error) {
    lock.close()
    if ((error as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') throw error
    throw new Error(`another restore-backup writes to ${folder}: wait until it has ended`, { cause: error })
  }
  for (const name of readdirSync(folder)) if (name !== LOCK) rmSync(join(folder, name), { recursive: true })
  return {
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true })
      lock.close()
    },
  }
}
