import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, makeFile } from '../../platform/db/data-folder.ts'
import { openSqlite } from './files.ts'

const LOCK = 'lock'

/**
 * Makes an empty folder for an unfinished restore, and deletes it at the end of the block. A killed process releases its
 * lock, and the next one deletes what it left.
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
