import { sql } from 'kysely'
import type { Bid } from '../boards/bid.ts'
import { destinationsAbove } from '../boards/rank.ts'
import { readLedger } from '../boards/read-ledger.ts'
import { boardKey } from '../boards/totals.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'

export interface Price {
  /** What verified payments already count for the destination on that board. */
  totalCents: number
  /** What is left to pay for the target. Below `MINIMUM_CHARGE_CENTS`, also below zero, there is nothing to buy. */
  chargeAmountCents: number
  /** Ties go to who was there first, so everybody already at the target stays ahead. */
  estimatedRank: number
}

/**
 * The price of a bid at this moment (design: a quote, and what a checkout asks for). Reads the ledger, writes nothing.
 *
 * @throws Problem payment_evidence_unavailable rather than a price from a guess
 */
export async function readPrice(store: Store, bid: Bid, now: number): Promise<Price> {
  const { destinationKey, targetBid } = bid
  const board = boardKey(bid.board, now)
  return readLedger(async () => {
    // Ahead is who has more than a dollar less than the target: who has the target, or more.
    const [found] = await totalAndAhead(store, { board, destinationKey, aheadOfCents: (targetBid - 1) * 100 })
    if (!found) throw new Error('the ledger gave no answer')
    const { totalCents, ahead } = found
    return { totalCents, chargeAmountCents: targetBid * 100 - totalCents, estimatedRank: ahead + 1 }
  })
}

type TotalAndAhead = { totalCents: number; ahead: number }

/** One statement, so that both numbers are of one moment. */
const totalAndAhead = statement(
  { board: 'text', destinationKey: 'text', aheadOfCents: 'bigint' },
  ({ board, destinationKey, aheadOfCents }) => sql<TotalAndAhead>`
      select
        coalesce((
          select "totalCents" from board_total
          where board = ${board} and "destinationKey" = ${destinationKey}
        ), 0) as "totalCents",
        ${destinationsAbove({ board, totalCents: aheadOfCents })} as ahead`,
)
