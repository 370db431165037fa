import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { boardVersion } from '../../domain/boards/counts.ts'
import { boardKey } from '../../domain/boards/totals.ts'
import { comparePlaces, type Followed } from '../../domain/notifications/owner/overtaken.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'

const BATCH = 200

/**
 * Compares the places of followed listings on the boards that changed. The store says what was told, so a crash loses
 * nothing, and a reader of a feed may compare at the same time. Where nobody follows anything, it looks at an empty index.
 */
export async function compareFollowed(
  store: Store,
  boards: ChangedBoards,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  if ((await anyFollowed(store, {})).length === 0) return
  await boards.forEach(store, now, board => compareAll(store, board, now, signal))
}

async function compareAll(store: Store, board: Board, now: number, signal: AbortSignal): Promise<void> {
  const on = { board, boardKey: boardKey(board, now) }
  for (let after = 0; ; ) {
    const followed = await followedOn(store, { ...on, after })
    for (const each of followed) {
      // Thrown, so that the board does not count as compared.
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

/** Knows which boards may have changed since they were last compared: every payment changes the version of the counts. */
export class ChangedBoards {
  readonly #compared = new Map<Board, string>()

  /** Runs `compare` for each changed board. One that changes meanwhile, or fails, is compared again the next time. */
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
