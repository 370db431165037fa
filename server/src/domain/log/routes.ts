import { parseTilePath, TILE_WIDTH } from '@placard/contract/log'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { CACHE } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, tagged } from '../../platform/http/send.ts'
import { logTree } from './tree-of-store.ts'

/** The address of the log, below that of the site. */
const LOG_PATH = '/log'

/** C2SP's `tlog-tiles` wants no cache to keep a checkpoint for longer. */
const CHECKPOINT_CACHE = 'public, max-age=1'

/**
 * Adds the log as C2SP's `tlog-tiles` serves it: the checkpoint, and tiles and bundles of entries that never change.
 * Nothing beyond the checkpoint is served, since only what was signed can't change any more.
 */
export function logRoutes(app: FastifyInstance, { store }: { store: Store }): void {
  app.get(`${LOG_PATH}/checkpoint`, OPEN, async (request, reply) => {
    const [checkpoint] = await checkpointOf(store, {})
    if (!checkpoint) throw new Problem('not_found', { message: 'The log is not signed yet. Try again in a second.' })
    return sendPublic(request, reply, checkpoint.note, {
      mediaType: 'text/plain; charset=utf-8',
      cache: CHECKPOINT_CACHE,
    })
  })

  app.get<{ Params: { '*': string } }>(`${LOG_PATH}/tile/*`, OPEN, async (request, reply) => {
    const name = parseTilePath(`tile/${request.params['*']}`)
    const [checkpoint] = await checkpointOf(store, {})
    const level = name?.level === 'entries' ? 0 : (name?.level ?? 0)
    const end = name && (name.index * TILE_WIDTH + name.width) * TILE_WIDTH ** level
    if (!name || end === undefined || end > (checkpoint?.size ?? 0)) {
      throw new Problem('not_found', {
        message: `The log has no ${request.url}. ${LOG_PATH}/checkpoint says how long it is.`,
      })
    }
    const tree = logTree(store)
    const isBundle = name.level === 'entries'
    const body = await (isBundle ? tree.bundle(name.index, name.width) : tree.readTile(level, name.index, name.width))
    // Hashes can't be compressed.
    return sendPublic(request, reply, isBundle ? tagged(body) : body, {
      mediaType: 'application/octet-stream',
      cache: CACHE.versioned,
      // After a restore, the log may continue with other entries.
      tags: [],
    })
  })
}

/** While the log is behind its checkpoint, as after the restore of a backup, it has only what is there. */
const checkpointOf = statement(
  {},
  () => sql<{ note: string; size: number }>`
    select note, case when head.size < signed.size then head.size else signed.size end as size
    from log_checkpoint as signed join log_head as head on head.id = signed.id`,
)
