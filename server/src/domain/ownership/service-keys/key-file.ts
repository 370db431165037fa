import { randomBytes } from 'node:crypto'
import { lchownSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../../platform/config/config.ts'
import { serviceKeys } from '../../../platform/config/values.ts'
import { statFile, syncPath } from '../../../platform/db/data-folder.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import { Secret } from '../../../platform/lib/secret.ts'

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
