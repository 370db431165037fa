import { MAXIMUM_TARGET_USD } from '@placard/contract'
import { readPrice } from '../server/dist/checkout/price.js'
import { openStore } from '../server/dist/storage/open.js'
import { heading, ROUNDS, report } from './compare.ts'
import { type FilledBoard, keyOf, randomNumbers } from './fill-board.ts'
import { median } from './load.ts'

const LOOKUPS = 5000

/** A quote's lookups in the ledger, inside the service: a destination's total, and a target's rank. */
export async function rankFigures(
  boards: Record<string, FilledBoard> & { small: FilledBoard },
): Promise<void> {
  heading('Looking up rank and charge inside the service, as a multiple of the time on a small board')
  const { small, ...larger } = boards
  for (const board of Object.values(larger)) {
    const [ours, smalls] = [await lookupMicros(board), await lookupMicros(small)]
    const ratios = ours.map((each, round) => each / (smalls[round] ?? Number.NaN))
    report(`among ${destinationsOf(board)} / among ${destinationsOf(small)}`, ratios, { atMost: 2 })
    console.log(`    ${micros(ours)}  against  ${micros(smalls)}`)
  }
}

const destinationsOf = (board: FilledBoard) => board.destinations.toLocaleString('en')
const micros = (values: readonly number[]) => `${median(values).toFixed(1)} µs`

/** Microseconds for one lookup, round by round. */
async function lookupMicros({ dataDir, destinations }: FilledBoard): Promise<number[]> {
  const store = await openStore({ databaseUrl: undefined, dataDir })
  const now = Date.now()
  const random = randomNumbers()
  const rounds: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const bids = Array.from({ length: LOOKUPS }, () => ({
      board: 'all' as const,
      destinationKey: keyOf(Math.floor(random() * destinations)),
      targetBid: randomBid(random),
    }))
    const startedAt = performance.now()
    for (const bid of bids) await readPrice(store, bid, now)
    // The first round warms up.
    if (round >= 0) rounds.push(((performance.now() - startedAt) * 1000) / LOOKUPS)
  }
  await store.close()
  return rounds
}

/** A random target, small as often as large. */
const randomBid = (random: () => number) => Math.min(MAXIMUM_TARGET_USD, Math.floor(5 * 200_000 ** random()))
