import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { Secret } from '../secret.ts'
import { serviceKeys } from '../setting-values.ts'
import { statFile } from '../storage/data-dir.ts'

/** Where the service keys stand that no setting names: one per line, the newest first. */
export const keyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'service.key')

/** @returns the keys, newest first; undefined where there is no file. @throws Error in one line where it cannot be used */
export function readKeyFile(file: string): Secret[] | undefined {
  const stat = statFile(file)
  if (!stat) return undefined
  if (stat.mode & 0o077) throw new Error(`${file} is readable by others: make it private with chmod 600`)
  try {
    return serviceKeys(readFileSync(file, 'utf8').split('\n'))
  } catch {
    throw new Error(
      `${file} does not hold 32 bytes in hex on each line: restore it from a backup, or the private links are lost`,
    )
  }
}

/**
 * Makes the file with a first key. It is linked into place whole, so that two processes that start at once agree on one.
 *
 * @returns what the file holds then
 */
export function makeKeyFile(file: string): Secret[] {
  const keys = [newKey()]
  const draft = writeDraft(file, keys)
  try {
    linkSync(draft, file)
    syncFolder(file)
    return keys
  } catch (error) {
    const others = (error as NodeJS.ErrnoException).code === 'EEXIST' && readKeyFile(file)
    if (!others) throw error
    return others
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Puts new keys in the place of those in the file, at one stroke: whoever reads it finds the old ones or the new ones. */
export function replaceKeyFile(file: string, keys: readonly Secret[]): void {
  renameSync(writeDraft(file, keys), file)
  syncFolder(file)
}

export const newKey = (): Secret => new Secret(randomBytes(32))

export const keyText = (key: Secret): string => key.reveal().toString('hex')

function writeDraft(file: string, keys: readonly Secret[]): string {
  const draft = `${file}.${process.pid}`
  // What a process of the same number left behind may be open to others.
  rmSync(draft, { force: true })
  writeFileSync(draft, `${keys.map(keyText).join('\n')}\n`, { mode: 0o600, flush: true, flag: 'wx' })
  return draft
}

/** So that the file is there under its name after a power cut, too. */
function syncFolder(file: string): void {
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
