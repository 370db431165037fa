import { BOARD_PAGE_DEFAULT, type Board } from '@placard/contract'
import type { Store } from '../storage/store.ts'
import { type BoardPlaces, readBoard } from './board.ts'
import type { LastGood, LastRead } from './last-good.ts'
import { boardKey } from './totals.ts'

/**
 * The first page of a board; while the database is away, as it was last read, and without a next page.
 *
 * @throws Problem payment_evidence_unavailable if nothing is kept
 */
export async function readFirstPlaces(
  { store, lastGood }: { store: Store; lastGood: LastGood },
  { board, limit }: { board: Board; limit: number },
  now: number,
): Promise<LastRead<BoardPlaces>> {
  const first = (count: number) => (at: number) => readBoard(store, { board, limit: count }, at)
  if (limit > BOARD_PAGE_DEFAULT) return { value: await first(limit)(now), asOf: undefined }
  const { value, asOf } = await lastGood.read(
    `${board} ${limit}`,
    {
      read: first(limit),
      // Yesterday's board is not today's.
      isStill: (asOf, at) => boardKey(board, asOf) === boardKey(board, at),
    },
    now,
  )
  if (asOf === undefined) return { value, asOf }
  return { value: { entries: value.entries.map(withoutPicture), next: undefined }, asOf }
}

/** Pictures are in the database too: a placard is drawn instead. */
export const withoutPicture = <Listing extends { pictureVersion: string | null }>(
  listing: Listing,
): Listing => ({
  ...listing,
  pictureVersion: null,
})
