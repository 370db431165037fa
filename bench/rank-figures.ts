import { MAXIMUM_TARGET_USD } from '@placard/contract'
import { readPrice } from '../server/dist/domain/checkout/price.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { heading, inTurns, noise, ratios, report } from './compare.ts'
import { type FilledBoard, keyOf, randomNumbers } from './fill-board.ts'
import { median } from './load.ts'

const LOOKUPS = 2000

/** A quote's lookups in the ledger, inside the service: a destination's total, and a target's rank. */
export async function rankFigures(
  boards: Record<string, FilledBoard> & { small: FilledBoard },
): Promise<void> {
  heading('Looking up rank and charge inside the service, as a multiple of the time on a small board')
  const { small, ...larger } = boards
  for (const board of Object.values(larger)) {
    const [one, other] = [await lookups(board), await lookups(small)]
    const [ours, smalls] = await inTurns(one.micros, other.micros)
    await Promise.all([one.close(), other.close()])
    const name = `among ${destinationsOf(board)} / among ${destinationsOf(small)}`
    report(name, ratios(ours, smalls), { atMost: 2 })
    console.log(`    ${inMicros(ours)}  against  ${inMicros(smalls)}; ${noise(smalls)}`)
  }
}

const destinationsOf = (board: FilledBoard) => board.destinations.toLocaleString('en')
const inMicros = (values: readonly number[]) => `${median(values).toFixed(1)} µs`

/** Random lookups on a board, warmed up; `micros` takes the time of one. */
async function lookups({ dataDir, destinations }: FilledBoard) {
  const store = await openStore({ databaseUrl: undefined, dataDir })
  const now = Date.now()
  const random = randomNumbers()
  const micros = async () => {
    const bids = Array.from({ length: LOOKUPS }, () => ({
      board: 'all' as const,
      destinationKey: keyOf(Math.floor(random() * destinations)),
      targetBid: randomBid(random),
    }))
    const startedAt = performance.now()
    for (const bid of bids) await readPrice(store, bid, now)
    return ((performance.now() - startedAt) * 1000) / LOOKUPS
  }
  await micros()
  return { micros, close: () => store.close() }
}

/** A random target, small as often as large. */
const randomBid = (random: () => number) => Math.min(MAXIMUM_TARGET_USD, Math.floor(5 * 200_000 ** random()))
