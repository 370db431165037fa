import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { makeFile } from './data-dir.ts'

/**
 * Tells whether other instances use the same SQLite database, and makes this one visible to later ones. It is SQLite's
 * own lock on an empty file beside the database: it ends with the process, however that ends, and leaves nothing to
 * clean up.
 */
export class InstanceLock {
  readonly #lock: Sqlite.Database
  readonly isAlone: boolean

  constructor(dataDir: string) {
    const path = join(dataDir, 'placard.lock')
    makeFile(path)
    this.#lock = new Sqlite(path, { timeout: 0 })
    this.isAlone = this.#isFree()
    // Another instance that checks right now takes only a moment.
    this.#lock.pragma('busy_timeout = 1000')
    // Keep a read open: any number of instances may hold one, and whoever wants the file exclusively notices.
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
