import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { DatabaseNotSynced, type OpenFiles } from './sqlite-files.ts'

const sync = promisify(fdatasync)

/**
 * Commits without a sync, then syncs the log on another thread. Only callers that wrote wait for the disk, which takes
 * milliseconds on many machines. Until a commit is on disk, this process shows it to no one, as with
 * `synchronous=FULL`. Other processes would see it, so a database with several uses FULL.
 */
export class LogSync {
  readonly #files: OpenFiles
  /** A descriptor of the log, on which SQLite takes no lock: closing one of the database would release its locks. */
  readonly #log: number
  #underWay: Promise<unknown> | undefined

  constructor(logPath: string, files: OpenFiles) {
    this.#log = openSync(logPath, 'r+')
    this.#files = files
  }

  /** The commit that is not yet on disk. It never rejects. */
  get underWay(): Promise<unknown> | undefined {
    return this.#underWay
  }

  /**
   * Runs a commit, and resolves when it is on disk.
   *
   * @throws DatabaseNotSynced, also for every later read and write: after a failed sync, the system may drop what it
   * could not write and report the next sync as successful, so only a new start shows what is there
   */
  async commit(write: () => Promise<void>): Promise<void> {
    const committing = write().then(() => this.#sync())
    this.#underWay = committing.catch(() => {})
    try {
      await committing
    } finally {
      this.#underWay = undefined
    }
  }

  async #sync(): Promise<void> {
    try {
      await sync(this.#log)
    } catch (error) {
      throw this.#files.lose(new DatabaseNotSynced(error))
    }
  }

  close(): void {
    closeSync(this.#log)
  }
}
