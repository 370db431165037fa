import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { boardVersion } from '../../domain/boards/counts.ts'
import { boardKey } from '../../domain/boards/totals.ts'
import { notifyOfEnds } from '../../domain/notifications/owner/ends-soon.ts'
import { comparePlaces, type Followed } from '../../domain/notifications/owner/overtaken.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './runner.ts'

const BATCH = 200

/** The check for near ends reads every followed listing. */
const CHECK_ENDS_EVERY_MS = MINUTE_MS

/** Notifies the owners of followed listings when others move ahead of them, and when their end is near. */
export const notifyOwners: JobDefinition<{ clock: () => number }> = {
  name: 'followed',
  does: 'notifies owners of places and ends',
  everyMs: SECOND_MS,
  start({ clock }) {
    const boards = new ChangedBoards()
    let endsCheckedAt = 0
    return async ({ store, signal, isFirst }) => {
      const now = clock()
      await compareFollowed(store, boards, now, signal)
      if (!isFirst && Math.abs(now - endsCheckedAt) < CHECK_ENDS_EVERY_MS) return
      await notifyOfEnds(store, now)
      endsCheckedAt = now
    }
  },
}

/**
 * Compares the places of followed listings on the boards that changed. The database records what was compared, so a
 * crash loses nothing, and a request for a feed can compare at the same time. If nothing is followed, this reads one
 * empty index.
 */
async function compareFollowed(store: Store, boards: ChangedBoards, now: number, signal: AbortSignal): Promise<void> {
  if ((await anyFollowed(store, {})).length === 0) return
  await boards.forEach(store, now, board => compareAll(store, board, now, signal))
}

async function compareAll(store: Store, board: Board, now: number, signal: AbortSignal): Promise<void> {
  const on = { board, boardKey: boardKey(board, now) }
  for (let after = 0; ; ) {
    const followed = await followedOn(store, { ...on, after })
    for (const each of followed) {
      // It throws, so that the board does not count as compared.
      signal.throwIfAborted()
      await comparePlaces(store, each, now, [board])
    }
    const last = followed.at(-1)
    if (!last || followed.length < BATCH) return
    after = last.listingId
  }
}

const anyFollowed = statement({}, (_, db) =>
  db.selectFrom('watch').select('listingId').where('checkAt', 'is not', null).limit(sql.lit(1)),
)

/** Followed listings that have a place on a board, or had one when it was last compared. */
const followedOn = statement(
  { board: 'text', boardKey: 'text', after: 'bigint' },
  ({ board, boardKey, after }) => sql<Followed>`
    select watch."listingId", listing."destinationKey" from watch
      join listing on listing.id = watch."listingId"
    where watch."checkAt" is not null and watch."listingId" > ${after} and (
      exists (select 1 from board_total as total
        where total.board = ${boardKey} and total."destinationKey" = listing."destinationKey")
      or exists (select 1 from watched_place as place
        where place."listingId" = watch."listingId" and place.board = ${board})
    )
    order by watch."listingId" limit ${sql.lit(BATCH)}`,
)

/** Finds boards that may have changed since they were last compared: each payment changes the version of the counts. */
class ChangedBoards {
  readonly #compared = new Map<Board, string>()

  /** Runs `compare` for each changed board. If it fails, or the board changes again, the next call repeats it. */
  async forEach(store: Store, now: number, compare: (board: Board) => Promise<void>): Promise<void> {
    const [seen] = await versionOf(store, {})
    for (const board of BOARDS) {
      const state = `${boardKey(board, now)} ${seen?.version}`
      if (this.#compared.get(board) === state) continue
      await compare(board)
      this.#compared.set(board, state)
    }
  }
}

const versionOf = statement({}, () => sql<{ version: string }>`select ${boardVersion} as version`)
