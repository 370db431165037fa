import { statSync } from 'node:fs'
import { runOnThread } from '../lib/child-process.ts'

/** The maximum age of the last check for a read. */
const LOOK_EVERY_MS = 1000

/**
 * The database file was moved, deleted or replaced while open. The system lets a process continue to write to it, but
 * the data would be lost.
 */
export class DatabaseFileLost extends Error {
  constructor(path: string) {
    super(
      `${path} was moved, deleted or replaced while the service has it open, so nothing more is written. Move it back, or stop the service, restore a backup and start again.`,
    )
    this.name = 'DatabaseFileLost'
  }
}

/** Checks whether the paths of an open database still lead to its files. */
export class OpenFiles {
  readonly #files: { path: string; mayBeEmpty: boolean; identity: string | undefined }[]
  #lost: DatabaseFileLost | undefined
  #lookedAt = performance.now()

  /**
   * @param database path of the open database, which is never empty, unlike its log
   * @param beside paths of the files next to it while it is open
   */
  constructor(database: string, beside: readonly string[]) {
    this.#files = [database, ...beside].map(path => {
      const mayBeEmpty = path !== database
      return { path, mayBeEmpty, identity: identityOf(path, mayBeEmpty) }
    })
  }

  /** @throws DatabaseFileLost if a path leads to no file or to another one */
  check(): void {
    this.#lookedAt = performance.now()
    const lost = this.#files.find(
      ({ path, mayBeEmpty, identity }) => identity === undefined || identityOf(path, mayBeEmpty) !== identity,
    )
    this.#lost = lost && new DatabaseFileLost(lost.path)
    if (this.#lost) throw this.#lost
  }

  /** Like `check`, but relies on a check up to a second old: cheap enough for every read. */
  checkNowAndThen(): void {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) this.check()
    if (this.#lost) throw this.#lost
  }
}

/** A file's identity, whatever its name. Undefined if there is no such file. */
function identityOf(path: string, mayBeEmpty: boolean): string | undefined {
  try {
    const { dev, ino, size } = statSync(path, { bigint: true })
    return size > 0n || mayBeEmpty ? `${dev} ${ino}` : undefined
  } catch {
    return undefined
  }
}

/**
 * Checks an SQLite file for damage while it may be in use. It reads the whole file, on a thread.
 *
 * @returns what SQLite found; undefined if there is no damage
 */
export async function quickCheck(path: string): Promise<string | undefined> {
  const asked = runOnThread<string>('ops/processes/check-database', { workerData: path })
  const found = await asked.catch((error: Error) => error.message)
  return found === 'ok' ? undefined : found.replace(/\s+/g, ' ')
}
