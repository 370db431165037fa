import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseCheckpoint, splitNote } from '@placard/contract/log'
import type { Db, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { noteEffects } from './outbox.ts'

/** Why signing stopped: a checkpoint that others may have, and that the log does not contain. */
export interface Break extends KnownCheckpoint {
  /** The size of the log when this was noticed. */
  entries: number
  at: number
  /** Set by the operator: the log continues under this name. */
  newOrigin?: string
}

/** A checkpoint that was signed for this log, and who knows it. */
export interface KnownCheckpoint extends Signed {
  knownBy: string
}

/** The latest signed checkpoint, as stored. */
export interface LastCheckpoint extends Signed {
  note: string
}

/** Reads the size of the log, whether signing stopped, and the latest checkpoint. */
export async function readLogState(db: Db): Promise<{
  entries: number
  broken: Break | undefined
  last: LastCheckpoint | undefined
}> {
  const head = await db
    .selectFrom('log_head')
    .leftJoin('log_checkpoint as last', 'last.id', 'log_head.id')
    .select(['log_head.size as entries', 'broken', 'origin', 'last.size', 'root', 'note'])
    .executeTakeFirst()
  const { entries = 0, broken = null, origin, size, root, note } = head ?? {}
  const isSigned = origin != null && size != null && root != null && note != null
  return {
    entries,
    broken: broken === null ? undefined : JSON.parse(broken),
    last: isSigned ? { origin, size, root, note } : undefined,
  }
}

/** Returns the largest known checkpoint that the log does not contain. Those of its earlier names no longer count. */
export async function findBreak(
  known: readonly KnownCheckpoint[],
  { origin, entries, rootAt }: { origin: string; entries: number; rootAt(size: number): Promise<Buffer> },
): Promise<KnownCheckpoint | undefined> {
  for (const each of known.toSorted((one, other) => other.size - one.size)) {
    const isLater = generationOf(each.origin) - generationOf(origin)
    if (isLater < 0) continue
    if (isLater > 0 || each.size > entries) return each
    if (!(await rootAt(each.size)).equals(Buffer.from(each.root, 'base64'))) return each
  }
  return undefined
}

/** The first name of a log is HOST/log, and the one after a break HOST/log/2. */
const generationOf = (origin: string) => Number(/\/log\/(\d+)$/.exec(origin)?.[1] ?? 1)

/** Returns in one line why signing stopped. */
export const describeBreak = ({ knownBy, size, origin, entries }: Break): string =>
  size > entries
    ? `the log ${origin} has size ${entries}, but ${knownBy} has a signed checkpoint of size ${size}`
    : `the log ${origin} differs from a signed checkpoint of size ${size} that ${knownBy} has`

export const stopSigning = (trx: Trx, broken: Break) =>
  trx
    .updateTable('log_head')
    .set({ broken: JSON.stringify(broken) })
    .execute()

/**
 * Continues the log under a new name, and writes the break into it. The next run of the job signs it.
 *
 * @param lost the checkpoint that the log does not contain
 */
export async function startNewLog(trx: Trx, lost: Break, now: number): Promise<string> {
  const { size, root, origin } = lost
  const newOrigin = `${origin.replace(/\/log\/\d+$/, '/log')}/${generationOf(origin) + 1}`
  const extra = { lostSize: size, lostRoot: root, origin: newOrigin }
  await noteEffects(trx, [{ kind: 'recovered', at: now, extra }])
  await stopSigning(trx, { ...lost, newOrigin })
  return newOrigin
}

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
