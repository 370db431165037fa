import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { boardVersion } from '../boards/dollar-counts.ts'
import { boardKey } from '../boards/totals.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'

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

const versionOf = statement({}, () => sql<{ version: number }>`select ${boardVersion} as version`)
