import { closeSync, fsyncSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Creates the data folder if missing, readable only by its owner. @throws Error in one line that names the setting */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir))
  } catch (cause) {
    throw new Error(`DATA_DIR ${dataDir} cannot be created or is not a folder: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Folder by folder: Node's recursive mkdir never ends if the system reports ENOENT below a folder, as in /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
  }
}

/** @throws Error if something else is there */
function isFolder(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory()) throw new Error(`${path} is not a folder`)
  return stat !== undefined
}

/**
 * Checks a file before it is opened: opening a FIFO or a device could wait forever.
 *
 * @returns undefined if there is none
 * @throws Error in one line if it is not a regular file, or cannot be checked
 */
export function statFile(path: string): Stats | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) throw new Error(`${path} is not a regular file`)
  return stat
}

/**
 * Creates an SQLite file if missing, readable only by its owner even in an open folder. SQLite gives its log the same
 * mode. Never opens an existing file: closing it would drop the locks that SQLite holds on it in this process. Any
 * other process that closes the database would then delete the log.
 *
 * @throws Error in one line if it cannot be created or is not a regular file
 */
export function makeFile(path: string): void {
  if (statFile(path)) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes a file, or the names in a folder, durable across a power cut. Never use it for a database that is open. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Path of the SQLite database. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'placard.db')

/** Returns false only if there is no database. If a folder cannot be entered, opening the database says why. */
export function mayHaveDatabase(dataDir: string): boolean {
  try {
    return statSync(databaseFile(dataDir), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/**
 * Finds out whether other instances use the same SQLite database, and makes this one visible to later ones. It is
 * SQLite's own lock on an empty file next to the database. It ends with the process, however that ends, and leaves
 * nothing to clean up.
 */
export class InstanceLock {
  readonly #lock: Sqlite.Database
  readonly isAlone: boolean

  constructor(dataDir: string) {
    const path = join(dataDir, 'placard.lock')
    makeFile(path)
    this.#lock = new Sqlite(path, { timeout: 0 })
    this.isAlone = this.#isFree()
    // Another instance that checks at the same time takes only a moment.
    this.#lock.pragma('busy_timeout = 1000')
    // Keeps a read open: any number of instances may have one, and it prevents exclusive use.
    this.#lock.exec('begin')
    this.#lock.prepare('select 1 from sqlite_schema').all()
  }

  #isFree(): boolean {
    try {
      this.#lock.exec('begin exclusive; commit')
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') throw error
      return false
    }
  }

  release(): void {
    this.#lock.close()
  }
}
