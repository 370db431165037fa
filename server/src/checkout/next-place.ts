import { type Board, MAXIMUM_TARGET_USD } from '@placard/contract'
import { readNeighbours } from '../boards/board.ts'
import type { Standing } from '../boards/standings.ts'
import type { Store } from '../storage/store.ts'
import { readPrice } from './price.ts'
import { leastTargetBid } from './promotable.ts'

/** A place that a destination could take now. */
export interface NextPlace {
  /** In whole US dollars. */
  targetBid: number
  chargeAmountCents: number
  rank: number
}

interface Of {
  board: Board
  destinationKey: string
  /** Its place on that board, if it has one. */
  standing: Standing | undefined
}

/**
 * The next place up that costs the least, or the first one to have. Undefined for who is first, and where no total is
 * high enough. Constant work.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function readNextPlace(
  store: Store,
  { board, destinationKey, standing }: Of,
  now: number,
): Promise<NextPlace | undefined> {
  const least = leastTargetBid(standing?.totalCents ?? 0)
  if (least === undefined || standing?.rank === 1) return undefined
  const bidOf = (targetBid: number) => ({ board, destinationKey, targetBid })
  const pricedAt = async (targetBid: number): Promise<NextPlace> => {
    const { chargeAmountCents, estimatedRank } = await readPrice(store, bidOf(targetBid), now)
    return { targetBid, chargeAmountCents, rank: estimatedRank }
  }
  const place = await pricedAt(least)
  if (!standing || place.rank < standing.rank) return place
  const { above } = await readNeighbours(store, bidOf(least), now)
  // Ties go to whoever got there first, so it takes a dollar more.
  const targetBid = above && Math.floor(above.totalCents / 100) + 1
  return targetBid === undefined || targetBid > MAXIMUM_TARGET_USD ? undefined : pricedAt(targetBid)
}
