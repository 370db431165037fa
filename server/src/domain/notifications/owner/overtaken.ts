import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../../platform/db/statement.ts'
import type { Store } from '../../../platform/db/store.ts'
import { boardOrder, countBefore, type Place, STANDING } from '../../boards/rank.ts'
import { placeOf } from '../../boards/standings.ts'
import { boardKey } from '../../boards/totals.ts'
import { addNotice } from './notice.ts'

export interface Followed {
  listingId: number
  destinationKey: string
}

/**
 * Compares a followed listing's places with those last seen, on each board or on one. If others moved ahead, notifies
 * the owner. A new day is a new board, and the owner's own refund moves no other listing: neither causes a notice.
 *
 * A conditional update decides which of several instances notifies, in the transaction that writes the notice.
 */
export async function comparePlaces(
  store: Store,
  followed: Followed,
  now: number,
  boards: readonly Board[] = BOARDS,
): Promise<void> {
  for (const board of boards) await comparePlace(store, followed, board, now)
}

type LastSeenPlace = Place & { boardKey: string; rank: number; seenAt: number; changes: number }

async function comparePlace(store: Store, followed: Followed, board: Board, now: number): Promise<void> {
  const { listingId, destinationKey } = followed
  const on = { board: boardKey(board, now), destinationKey }
  const [seen] = await lastSeen(store, { listingId, board })
  const [place] = await placeOf(store, on)
  if (!place) return seen && forgetPlace(store, listingId, board, seen)
  const rankAt = async (at: Place) => 1 + (await countBefore(store, { ...on, ...at }))
  const rank = await rankAt(place)
  const seenHere = seen?.boardKey === on.board ? seen : undefined
  if (seenHere && seenHere.rank === rank && isSame(seenHere, place)) return

  // Its rank with the better of both totals is below the rank last seen only if others moved ahead.
  const better =
    seenHere && boardOrder.isAhead({ ...seenHere, destinationKey }, { ...place, destinationKey }) ? seenHere : place
  const isOvertaken = seenHere !== undefined && (await rankAt(better)) > seenHere.rank
  const [still] = await placeOf(store, on)
  // It moved in the meantime, and may have counted itself. The board has changed, so it is compared again.
  if (!still || !isSame(still, place)) return
  const [overtaker] = isOvertaken ? await overtakers(store, { ...on, ...better, since: seenHere.seenAt }) : []

  const { totalCents, reachedAt } = place
  const found = { boardKey: on.board, rank, totalCents, reachedAt, seenAt: now }
  await store.transact(async trx => {
    if (!seen) {
      await trx
        .insertInto('watched_place')
        .values({ listingId, board, ...found, changes: 0 })
        .onConflict(conflict => conflict.columns(['listingId', 'board']).doNothing())
        .execute()
      return
    }
    const { numUpdatedRows } = await trx
      .updateTable('watched_place')
      .set({ ...found, changes: seen.changes + 1 })
      .where('listingId', '=', listingId)
      .where('board', '=', board)
      .where('changes', '=', seen.changes)
      .executeTakeFirst()
    if (numUpdatedRows === 0n || !isOvertaken) return
    const facts = { board, from: seen.rank, to: rank, byListingId: overtaker?.listingId ?? null }
    await addNotice(trx, listingId, { kind: 'overtaken', facts }, now)
  })
}

const isSame = (one: Place, other: Place) => one.totalCents === other.totalCents && one.reachedAt === other.reachedAt

/** It has no place now. If it gets one again, the comparison starts from there. */
async function forgetPlace(store: Store, listingId: number, board: Board, seen: LastSeenPlace): Promise<void> {
  await store.transact(trx =>
    trx
      .deleteFrom('watched_place')
      .where('listingId', '=', listingId)
      .where('board', '=', board)
      .where('changes', '=', seen.changes)
      .execute(),
  )
}

const lastSeen = statement({ listingId: 'bigint', board: 'text' }, ({ listingId, board }, db) =>
  db
    .selectFrom('watched_place')
    .select(['boardKey', 'rank', 'totalCents', 'reachedAt', 'seenAt', 'changes'])
    .where('listingId', '=', listingId)
    .where('board', '=', board as Board),
)

/** How many places ahead are read. A listing that moved further ahead is not named. */
const LOOKED_AT = 50

/**
 * The listing that moved ahead of a place by paying after `since`, on this service's clock. It is the highest of those
 * whose payments recorded before that time add up to less than the place's total. None if none is certain, because a
 * wrong name is worse than none.
 */
const overtakers = statement(
  { ...STANDING, since: 'bigint' },
  ({ board, destinationKey, totalCents, reachedAt, since }) => sql<{ listingId: number }>`
    select ahead."listingId" from (
      select "listingId", "destinationKey", "totalCents", "reachedAt" from board_total
      where board = ${board} and shown = 1 and "totalCents" >= ${totalCents}
        and "destinationKey" <> ${destinationKey}
        and ${boardOrder.isRowAhead({ totalCents, reachedAt, destinationKey })}
      ${boardOrder.reversed().orderBy()} limit ${sql.lit(LOOKED_AT)}
    ) as ahead
    where ${totalCents} > (
      select coalesce(sum(payment."netCents"), 0) from payment
      where payment."destinationKey" = ahead."destinationKey" and (${board} = 'all' or payment.day = ${board})
        and exists (
          select 1 from processor_event as event
          where event."paymentId" = payment."paymentId" and event.processor = payment.processor
            and event.kind = 'paid' and event."receivedAt" <= ${since}
        )
    )
    ${boardOrder.orderBy('ahead')} limit 1`,
)
