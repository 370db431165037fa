import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import { readBoard } from '../boards/board.ts'
import type { Store } from '../storage/store.ts'
import { readPrice } from './price.ts'
import { leastTargetBid } from './promotable.ts'

export const PRESET_PLACES = ['1', '5', '10', 'least'] as const
/** A place that a buyer may name instead of an amount. */
export type PresetPlace = (typeof PRESET_PLACES)[number]

/** What a named place costs at this moment. */
export interface Preset {
  place: PresetPlace
  /** In whole US dollars. */
  targetBid: number
  chargeAmountCents: number
  /** The place it would be: better than its name where totals are equal. */
  rank: number
}

interface For {
  board: Board
  /** Undefined if nobody said yet which website it is for. */
  destinationKey: string | undefined
}

/**
 * What No. 1, the top 5, the top 10 and the least cost a destination now. Leaves out what a board has no room for, and
 * what costs the same as a better place.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function readPresets(
  store: Store,
  { board, destinationKey = '' }: For,
  now: number,
): Promise<Preset[]> {
  const priceOf = (targetBid: number) => readPrice(store, { board, destinationKey, targetBid }, now)
  const [{ entries }, { totalCents }] = await Promise.all([
    // One more than ten, since one of them may be the destination itself.
    readBoard(store, { board, limit: 11 }, now),
    priceOf(MINIMUM_TARGET_USD),
  ])
  const least = leastTargetBid(totalCents)
  if (least === undefined) return []
  const others = entries.filter(entry => entry.destinationKey !== destinationKey)

  const presets: Preset[] = []
  for (const place of PRESET_PLACES) {
    const overtaken = place === 'least' ? undefined : others[Number(place) - 1]
    if (!overtaken && place !== '1' && place !== 'least') continue
    // Ties go to whoever got there first, so it takes a dollar more.
    const targetBid = Math.max(least, overtaken ? Math.floor(overtaken.totalCents / 100) + 1 : 0)
    if (targetBid > MAXIMUM_TARGET_USD || presets.some(better => better.targetBid === targetBid)) continue
    const { chargeAmountCents, estimatedRank } = await priceOf(targetBid)
    presets.push({ place, targetBid, chargeAmountCents, rank: estimatedRank })
  }
  return presets
}

/** The total for a named place, in whole US dollars: the least where the board has no such place to take. */
export async function presetTarget(
  store: Store,
  place: PresetPlace,
  on: For,
  now: number,
): Promise<number | undefined> {
  const presets = await readPresets(store, on, now)
  return (presets.find(preset => preset.place === place) ?? presets.at(-1))?.targetBid
}
