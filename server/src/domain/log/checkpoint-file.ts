import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseCheckpoint, splitNote } from '@placard/contract/log'
import type { Database } from '../../platform/db/tables/index.ts'
import { COMMAND } from '../../platform/lib/package.ts'

/** A checkpoint that was signed: it may be known to others, so the log must always contain it. */
export type Signed = Pick<Database['log_checkpoint'], 'origin' | 'size' | 'root'>

/** The latest checkpoint that was signed on this machine. A restored database does not bring it back. */
const checkpointFile = (dataDir: string): string => join(dataDir, 'log-checkpoint')

/** How a break names the file. */
export const IN_FILE = 'the file log-checkpoint in DATA_DIR'

/** @returns the checkpoint in the file; undefined if there is none. @throws Error in one line if it is not one */
export async function readCheckpointFile(dataDir: string): Promise<Signed | undefined> {
  const file = checkpointFile(dataDir)
  const note = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (note === undefined) return undefined
  try {
    return signedOf(note)
  } catch {
    throw new Error(
      `${file} does not contain a checkpoint: restore it from a copy, or delete it. If the database was restored from a backup, then run ${COMMAND} log recover --new-log`,
    )
  }
}

/** Replaces the file atomically, and makes it survive a power cut. */
export async function writeCheckpointFile(dataDir: string, note: string): Promise<void> {
  const file = checkpointFile(dataDir)
  const draft = `${file}.${process.pid}`
  await writeFile(draft, note, { mode: 0o600, flush: true })
  await rename(draft, file)
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
}

/** Returns what a checkpoint says, without checking its signatures. @throws Error if it is none */
export function signedOf(note: string): Signed {
  const { origin, size, root } = parseCheckpoint(splitNote(note).text)
  return { origin, size, root: root.toString('base64') }
}

export const isSame = (one: Signed, other: Signed | undefined): boolean =>
  one.origin === other?.origin && one.size === other.size && one.root === other.root
