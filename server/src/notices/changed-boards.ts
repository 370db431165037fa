import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { boardKey } from '../boards/totals.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'

/**
 * Knows which boards have changed since they were last compared, without a write by any payment: it sums up how many
 * destinations have how many whole dollars. Every payment changes that, whichever instance heard of it.
 */
export class ChangedBoards {
  readonly #store: Store
  readonly #compared = new Map<Board, string>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Runs `compare` for each changed board. One that changes meanwhile, or fails, is compared again the next time. */
  async forEach(now: number, compare: (board: Board) => Promise<void>): Promise<void> {
    for (const board of BOARDS) {
      const digest = await this.#digestOf(boardKey(board, now))
      if (this.#compared.get(board) === digest) continue
      await compare(board)
      this.#compared.set(board, digest)
    }
  }

  async #digestOf(board: string): Promise<string> {
    const [sums] = await sumsOf(this.#store, { board })
    return [board, ...Object.values(sums ?? {})].join(' ')
  }
}

/** Level 3 of the tree that ranks are read from counts by whole dollars (`boards/rank.ts`). Squares tell sums apart. */
const sumsOf = statement(
  { board: 'text' },
  ({ board }) => sql<{ destinations: number; dollars: number; squares: number }>`
    select cast(sum(destinations) as bigint) as destinations, cast(sum(amount * destinations) as bigint) as dollars,
      cast(sum(amount * amount % 1000003 * destinations) as bigint) as squares
    from board_count where board = ${board} and level = 3`,
)
