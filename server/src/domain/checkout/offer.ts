import { type Board, MAXIMUM_TARGET_USD, MINIMUM_CHARGE_CENTS, MINIMUM_TARGET_USD } from '@placard/contract'
import type { Db, Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { type BoardEntry, readBoard, readNeighbours } from '../boards/board.ts'
import type { Standing } from '../boards/standings.ts'
import type { Listing } from '../listings/listing.ts'
import { mayOutlastDay } from '../payments/stripe.ts'
import { bidAbove, leastTargetBid, type Price, readPrice } from './price.ts'

/** Everything a buyer should see, at this moment. */
export interface Offer {
  listing: Listing | undefined
  price: Price
  /** Whether there is anything to pay for the target. */
  isPayable: boolean
  /** Whether the payment page of an order placed now may stay open past the ordered day. */
  mayOutlastDay: boolean
  /** The lowest target, in whole US dollars, with anything to pay; undefined if the board has no higher one. */
  leastTargetBid: number | undefined
  /** The target's neighbours, other than the destination itself. */
  neighbours: { above?: BoardEntry; below?: BoardEntry }
  /** Orders of the destination whose money is on its way and does not count yet, newest first. */
  pending: PendingOrder[]
  /** The pending order that must be settled before this board can be ordered again. */
  inTheWay: PendingOrder | undefined
}

/**
 * Returns everything a buyer should see now. @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function readOffer(
  store: Store,
  bid: { destinationKey: string; board: Board; targetBid: number },
  listing: Listing | undefined,
  now: number,
): Promise<Offer> {
  const [price, neighbours, pending] = await Promise.all([
    readPrice(store, bid, now),
    readNeighbours(store, bid, now),
    readPending(store.db, bid.destinationKey),
  ])
  return {
    listing,
    price,
    isPayable: price.chargeAmountCents >= MINIMUM_CHARGE_CENTS,
    mayOutlastDay: mayOutlastDay({ board: bid.board, createdAt: now }),
    leastTargetBid: leastTargetBid(price.totalCents),
    neighbours,
    pending,
    inTheWay: blockingOrder(pending, bid.board, now),
  }
}

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
  /** Its current place on that board, if it has one. */
  standing: Standing | undefined
}

/**
 * Returns the cheapest next place up, or the first one to have. Undefined for No. 1, and if no total is high enough.
 * Constant work.
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
  const targetBid = above && bidAbove(above.totalCents)
  return targetBid === undefined || targetBid > MAXIMUM_TARGET_USD ? undefined : pricedAt(targetBid)
}

/** An order whose money is on its way, as with a bank transfer. */
export type PendingOrder = Pick<Database['checkout'], 'id' | 'board' | 'amountCents' | 'createdAt'>

const PENDING_MAX = 10

/** Some processors never report that a transfer failed, so an order older than this does not prevent a new one. */
const WAITS_MS = daysMs(14)

/**
 * Returns the newest completed orders of a destination whose money has neither arrived nor failed. An order that a
 * newer one superseded is among them if it was completed before its payment page closed.
 */
export async function readPending(db: Db, destinationKey: string): Promise<PendingOrder[]> {
  return db
    .selectFrom('checkout')
    .select(['id', 'board', 'amountCents', 'createdAt'])
    .where('destinationKey', '=', destinationKey)
    .where(({ and, not, exists, selectFrom }) => {
      const events = selectFrom('processor_event as event')
        .select('event.eventId')
        .whereRef('event.processor', '=', 'checkout.processor')
        .whereRef('event.sessionId', '=', 'checkout.sessionId')
      return and([
        exists(events.where('event.kind', '=', 'pending')),
        not(exists(events.where('event.kind', 'in', ['paid', 'failed']))),
      ])
    })
    .orderBy('createdAt', 'desc')
    .limit(PENDING_MAX)
    .execute()
}

/** Returns the order that must be settled before its website can order on that board again. */
export const blockingOrder = (pending: readonly PendingOrder[], board: Board, now: number) =>
  pending.find(order => order.board === board && now - order.createdAt < WAITS_MS)

export const PRESET_PLACES = ['1', '5', '10', 'least'] as const

/** A place that a buyer can choose instead of an amount. */
export type PresetPlace = (typeof PRESET_PLACES)[number]

/** What a named place costs now. If totals are equal, its rank is better than the name. */
export interface Preset extends NextPlace {
  place: PresetPlace
}

interface For {
  board: Board
  /** Undefined if the website is not known yet. */
  destinationKey: string | undefined
}

/**
 * Returns what No. 1, the top 5, the top 10 and the lowest place cost a destination now. Leaves out places that the
 * board does not have, and those that cost the same as a better one.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function readPresets(store: Store, { board, destinationKey = '' }: For, now: number): Promise<Preset[]> {
  const priceOf = (targetBid: number) => readPrice(store, { board, destinationKey, targetBid }, now)
  const [{ rows }, { totalCents }] = await Promise.all([
    // One more than ten, because one of them may be the destination itself.
    readBoard(store, { board, limit: 11 }, now),
    priceOf(MINIMUM_TARGET_USD),
  ])
  const least = leastTargetBid(totalCents)
  if (least === undefined) return []
  const others = rows.filter(entry => entry.destinationKey !== destinationKey)

  const presets: Preset[] = []
  for (const place of PRESET_PLACES) {
    const overtaken = place === 'least' ? undefined : others[Number(place) - 1]
    if (!overtaken && place !== '1' && place !== 'least') continue
    const targetBid = Math.max(least, overtaken ? bidAbove(overtaken.totalCents) : 0)
    if (targetBid > MAXIMUM_TARGET_USD || presets.some(better => better.targetBid === targetBid)) continue
    const { chargeAmountCents, estimatedRank } = await priceOf(targetBid)
    presets.push({ place, targetBid, chargeAmountCents, rank: estimatedRank })
  }
  return presets
}

/** Returns the total for a named place, in whole US dollars, or the lowest total if the board has no such place. */
export async function presetTarget(
  store: Store,
  place: PresetPlace,
  on: For,
  now: number,
): Promise<number | undefined> {
  const presets = await readPresets(store, on, now)
  return (presets.find(preset => preset.place === place) ?? presets.at(-1))?.targetBid
}
