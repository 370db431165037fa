import { type Checkpoint, isConsistent, proveConsistency, treeRoot } from '@placard/contract/log'
import type { LogFiles } from './log-files.ts'

/** A checkpoint that was verified, and the hashes of the tiles that were not full then. */
export interface Seen extends Checkpoint {
  edge: readonly Buffer[]
}

/**
 * Returns whether the tiles lead to the root of the checkpoint, but not from the one that was seen before. Then no file
 * is damaged: the log signed two histories.
 */
export async function isRewritten(files: LogFiles, seen: Seen, { size, root }: Checkpoint): Promise<boolean> {
  if (size === seen.size) return !root.equals(seen.root)
  const read = (level: number, index: number, width: number) => files.tile(level, index, width)
  try {
    if (!(await treeRoot(size, read)).equals(root)) return false
    const proof = await proveConsistency(seen.size, size, read)
    return !isConsistent({ oldSize: seen.size, oldRoot: seen.root, size, root, proof })
  } catch {
    // Without its tiles, nothing can be said of the history.
    return false
  }
}
