import { randomBytes } from 'node:crypto'
import { lchownSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../../platform/config/config.ts'
import { serviceKeys } from '../../../platform/config/values.ts'
import { statFile, syncPath } from '../../../platform/db/data-folder.ts'
import type { Store } from '../../../platform/db/store.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import { Secret } from '../../../platform/lib/secret.ts'
import { TEN_MINUTES_MS } from '../../../platform/lib/time.ts'

/** After a change, instances that were not restarted yet sign with the older key for this long. */
const HANDOVER_MS = TEN_MINUTES_MS

export interface ServiceKey {
  secret: Secret
  /** The database recognises the key by this value. */
  checkValue: string
  /** When it stopped signing; undefined if it still signs or never did. */
  replacedAt: number | undefined
}

/** Returns a value by which the database recognises the key. It reveals nothing about the key. */
export const checkValueOf = (key: Secret): string => key.derive('placard service key check').reveal().toString('hex')

/**
 * The service's keys, newest first. The first signs and derives everything new. The others recover the private links
 * made with them, and what they signed stays valid until it expires.
 */
export class ServiceKeys {
  readonly all: readonly ServiceKey[]
  readonly newest: ServiceKey

  /** @throws Error if there is none */
  constructor(all: readonly ServiceKey[]) {
    const [newest] = all
    if (!newest) throw new Error('there is no service key')
    this.all = all
    this.newest = newest
  }

  withCheckValue(checkValue: string): Secret | undefined {
    return this.all.find(key => key.checkValue === checkValue)?.secret
  }

  /** Keys for one purpose, see `Secret.derive`. */
  derive(purpose: string): ServiceKeys {
    return new ServiceKeys(this.all.map(key => ({ ...key, secret: key.secret.derive(purpose) })))
  }

  /**
   * Returns the keys that may have signed something at a given time, starting with the one in use then. Never returns
   * one that had been replaced for ten minutes, so that a leaked key is worthless after a change. Newer ones count,
   * because another instance may already sign with them.
   */
  inUseAt(time: number): Secret[] {
    const replacedAt = (key: ServiceKey) => key.replacedAt ?? Number.MAX_SAFE_INTEGER
    return this.all
      .filter(key => replacedAt(key) + HANDOVER_MS > time)
      .sort((one, other) => replacedAt(one) - replacedAt(other))
      .map(key => key.secret)
  }
}

/** The database, and the keys from which the secrets in it are derived. */
export interface StoreAndKeys {
  store: Store
  serviceKeys: ServiceKeys
}

/** Path of the key file, used unless `SERVICE_KEY` is set. One key per line, newest first. */
export const keyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'service.key')

/** @returns the keys, newest first; undefined if there is no file. @throws Error in one line if the file is unusable */
export function readKeyFile(file: string): Secret[] | undefined {
  const stat = statFile(file)
  if (!stat) return undefined
  if (stat.mode & 0o077) throw new Error(`${file} is readable by others: make it private with chmod 600`)
  const text = readText(file)
  try {
    return serviceKeys(text.split('\n'))
  } catch {
    throw new Error(
      `${file} does not hold 32 bytes in hex on each line: restore it from a backup. Without one, remove the damaged lines, or the file if no line is left, and run ${COMMAND} change-key --lost`,
    )
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}): it must be a file of the user that runs Placard`,
      { cause: error },
    )
  }
}

/**
 * Creates the file with a first key. Links the complete file into place, so that two processes that start together
 * agree on one key.
 *
 * @returns the keys in the file
 */
export function makeKeyFile(file: string): Secret[] {
  const keys = [newKey()]
  const draft = writeDraft(file, keys)
  try {
    linkSync(draft, file)
    syncPath(dirname(file))
    return keys
  } catch (error) {
    const others = (error as NodeJS.ErrnoException).code === 'EEXIST' && readKeyFile(file)
    if (!others) throw error
    return others
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Replaces the keys in the file atomically: a reader sees either the old ones or the new ones. */
export function replaceKeyFile(file: string, keys: readonly Secret[]): void {
  const draft = writeDraft(file, keys)
  // If root runs the command, Placard's own user must still be able to read the file. A link put in its place is not
  // followed.
  const { uid, gid } = statSync(statFile(file) ? file : dirname(file))
  if (process.getuid?.() === 0) lchownSync(draft, uid, gid)
  renameSync(draft, file)
  syncPath(dirname(file))
}

export const newKey = (): Secret => new Secret(randomBytes(32))

export const keyText = (key: Secret): string => key.reveal().toString('hex')

function writeDraft(file: string, keys: readonly Secret[]): string {
  const draft = `${file}.${process.pid}`
  // A leftover from a process with the same id may be readable by others.
  rmSync(draft, { force: true })
  writeFileSync(draft, `${keys.map(keyText).join('\n')}\n`, { mode: 0o600, flush: true, flag: 'wx' })
  return draft
}
