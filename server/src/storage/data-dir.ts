import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Makes the data folder where it is missing, readable by its owner only. @throws Error in one line that names the setting */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir))
  } catch (cause) {
    throw new Error(`DATA_DIR ${dataDir} cannot be created or is not a folder: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Folder by folder: Node's recursive mkdir never ends where the system says ENOENT below a folder, as /proc does. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
  }
}

/** @throws Error where something else is there */
function isFolder(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory()) throw new Error(`${path} is not a folder`)
  return stat !== undefined
}

/**
 * Looks at a file that is going to be opened. A FIFO or a device in its place could make the opening wait for ever.
 *
 * @returns undefined where there is none
 * @throws Error in one line where it is no plain file, or cannot be looked at
 */
export function statFile(path: string): Stats | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) throw new Error(`${path} is not a regular file`)
  return stat
}

/**
 * Makes a file of SQLite's where it is missing: for its owner only, also in a folder that is open to others; a log beside
 * it takes the same mode. One that is there is never opened here: closing it again would let go of the locks that SQLite
 * holds on it in this process, and then any other process that closes the database deletes the log under us.
 *
 * @throws Error in one line where it cannot be made, or is no plain file
 */
export function makeFile(path: string): void {
  if (statFile(path)) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Where SQLite keeps everything. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'placard.db')
