import type { Db, Trx } from '../../platform/db/store.ts'
import type { Signed } from './checkpoint-file.ts'
import { noteEffects } from './outbox.ts'

/** Why signing stopped: a checkpoint that others may have, and that the log does not contain. */
export interface Break extends Known {
  /** The size of the log when this was noticed. */
  entries: number
  at: number
  /** Set by the operator: the log continues under this name. */
  newOrigin?: string
}

/** A checkpoint that was signed for this log, and who knows it. */
export interface Known extends Signed {
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
  known: readonly Known[],
  { origin, entries, rootAt }: { origin: string; entries: number; rootAt(size: number): Promise<Buffer> },
): Promise<Known | undefined> {
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
