import { statSync } from 'node:fs'

/** How old the last look may be for a read to rely on it. */
const LOOK_EVERY_MS = 1000

/**
 * The database file was moved, deleted or replaced while it is open. The system lets a process write on into such a file,
 * but nobody would ever find there what was written.
 */
export class DatabaseFileLost extends Error {
  constructor(path: string) {
    super(
      `${path} was moved, deleted or replaced while the service has it open, so nothing more is written. Move it back, or stop the service, restore a backup and start again.`,
    )
    this.name = 'DatabaseFileLost'
  }
}

/** A database that this process has open, to see whether the paths still lead to its files. */
export class OpenFiles {
  readonly #files: { path: string; mayBeEmpty: boolean; identity: string | undefined }[]
  #lost: DatabaseFileLost | undefined
  #lookedAt = performance.now()

  /**
   * @param database that was opened just now: it is never empty again, while its log is now and then
   * @param beside the files it keeps beside itself while it is open
   */
  constructor(database: string, beside: readonly string[]) {
    this.#files = [database, ...beside].map(path => {
      const mayBeEmpty = path !== database
      return { path, mayBeEmpty, identity: identityOf(path, mayBeEmpty) }
    })
  }

  /** @throws DatabaseFileLost where a path leads nowhere or to another file */
  check(): void {
    this.#lookedAt = performance.now()
    const lost = this.#files.find(
      ({ path, mayBeEmpty, identity }) => identity === undefined || identityOf(path, mayBeEmpty) !== identity,
    )
    this.#lost = lost && new DatabaseFileLost(lost.path)
    if (this.#lost) throw this.#lost
  }

  /** The same, by a look that is up to a second old: cheap enough for every read. */
  checkNowAndThen(): void {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) this.check()
    if (this.#lost) throw this.#lost
  }
}

/** By what a file stays the same one, whatever it is called. Undefined where there is none that can be seen. */
function identityOf(path: string, mayBeEmpty: boolean): string | undefined {
  try {
    const { dev, ino, size } = statSync(path, { bigint: true })
    return size > 0n || mayBeEmpty ? `${dev} ${ino}` : undefined
  } catch {
    return undefined
  }
}
