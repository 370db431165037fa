import {
  HASH_BYTES,
  hashesOnLevel,
  isConsistent,
  proveConsistency,
  type ReadTile,
  TILE_WIDTH,
} from '@placard/contract/log'
import type { PlacardClient } from '../client.ts'
import { PlacardError } from '../error.ts'
import type { Draw } from '../service/replies.ts'
import { counted } from '../service/text.ts'
import type { Difference } from './disagreement.ts'
import type { FollowedLog } from './follow.ts'
import type { LogFiles } from './log-files.ts'

/** Returns the draw of a day. Undefined if there was none. */
export const readDraw = (client: PlacardClient, day: string): Promise<Draw | undefined> =>
  client.draw(day).catch(error => {
    if (error instanceof PlacardError && error.code === 'not_found') return undefined
    throw error
  })

/** Compares the listings drawn on a day, and the seed, with the log. */
export async function compareDraw(
  log: FollowedLog,
  files: LogFiles,
  day: string,
  draw: Draw | undefined,
): Promise<Difference | undefined> {
  const logged = log.replay.draws().get(day)
  if (!draw) {
    const sentence = `The service has no draw of ${day}, on which the log has ${counted(logged?.length ?? 0, 'listing')} drawn.`
    return logged && { kind: 'draw_missing', sentence }
  }
  const shown = [...draw.drawn].sort((one, other) => one.place - other.place).map(({ id }) => id)
  // Draws from before the log are not in it.
  if (!logged && draw.logSize !== null && shown.length > 0) {
    return { kind: 'draw_extra', sentence: `The service has a draw of ${day}, which the log does not have.` }
  }
  if (logged && shown.join() !== logged.join()) {
    const sentence = `The draw of ${day} shows the listings ${shown.join(', ') || 'none'}; by the log, ${logged.join(', ')} were drawn.`
    return { kind: 'draw_wrong', sentence }
  }
  const { logSize } = draw
  const fault = shown.length > 0 ? log.replay.seedFault(day, logSize) : undefined
  if (fault) return { kind: 'seed_wrong', sentence: fault }
  if (logSize === null || (await isRoot(draw.seed, logSize, log, files))) return undefined
  const sentence = `The seed of the draw of ${day} is not the root of the first ${logSize} entries of the log.`
  return { kind: 'seed_wrong', sentence }
}

/** Proves an earlier root from the signed one, so the server of the tiles need not be trusted. */
export async function isRoot(hex: string, oldSize: number, log: FollowedLog, files: LogFiles): Promise<boolean> {
  const { size, root } = log.checkpoint
  const oldRoot = Buffer.from(hex, 'hex')
  if (oldSize > size || oldRoot.toString('hex') !== hex) return false
  // Only tiles of the checkpoint's tree certainly exist.
  const read: ReadTile = async (level, index, width) => {
    const whole = Math.min(TILE_WIDTH, hashesOnLevel(level, size) - index * TILE_WIDTH)
    return (await files.tile(level, index, whole)).subarray(0, width * HASH_BYTES)
  }
  const proof = await proveConsistency(oldSize, size, read)
  return isConsistent({ oldSize, oldRoot, size, root, proof })
}
