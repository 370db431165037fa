import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { makeFile } from './data-dir.ts'

/**
 * Says whether other instances use the same SQLite database, and lets later ones see this one. The lock is SQLite's own on
 * an empty file beside the database: it ends with the process, however that ends, and leaves nothing to clear away.
 */
export class InstanceLock {
  readonly #lock: Sqlite.Database
  readonly isAlone: boolean

  constructor(dataDir: string) {
    const path = join(dataDir, 'placard.lock')
    makeFile(path)
    this.#lock = new Sqlite(path, { timeout: 0 })
    this.isAlone = this.#isFree()
    // Another instance that looks just now is done in no time.
    this.#lock.pragma('busy_timeout = 1000')
    // A read that goes on: any number of instances may have one, and whoever wants the file alone meets it.
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
