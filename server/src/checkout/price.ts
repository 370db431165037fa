import { sql } from 'kysely'
import type { Bid } from '../boards/bid.ts'
import { boardVersion, readWithAbove } from '../boards/dollar-counts.ts'
import { readLedger } from '../boards/read-ledger.ts'
import { boardKey } from '../boards/totals.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'

export interface Price {
  /** The destination's verified total on that board. */
  totalCents: number
  /** What is left to pay. Below `MINIMUM_CHARGE_CENTS`, or negative, there is nothing to buy. */
  chargeAmountCents: number
  /** Ties go to whoever got there first, so everybody already at the target stays ahead. */
  estimatedRank: number
}

/**
 * The current price of a bid, for quotes and checkouts. Reads the ledger, writes nothing.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export function readPrice(store: Store, bid: Bid, now: number): Promise<Price> {
  const { destinationKey, targetBid } = bid
  const board = boardKey(bid.board, now)
  return readLedger(async () => {
    // Whatever is above the whole dollar below the target has at least the target.
    const { rows, above } = await readWithAbove(store, { board, dollars: targetBid - 1 }, () =>
      totalOn(store, { board, destinationKey }),
    )
    const [found] = rows
    if (!found) throw new Error('the ledger gave no answer')
    const { totalCents } = found
    return { totalCents, chargeAmountCents: targetBid * 100 - totalCents, estimatedRank: above + 1 }
  })
}

const totalOn = statement(
  { board: 'text', destinationKey: 'text' },
  ({ board, destinationKey }) => sql<{ version: number; totalCents: number }>`
    select ${boardVersion} as version, coalesce((
      select "totalCents" from board_total where board = ${board} and "destinationKey" = ${destinationKey}
    ), 0) as "totalCents"`,
)
