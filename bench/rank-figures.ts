import { MAXIMUM_TARGET_USD } from '@placard/contract'
import { readPrice } from '../server/dist/checkout/price.js'
import { openStore } from '../server/dist/storage/open.js'
import { heading, ROUNDS, report } from './compare.ts'
import { type FilledBoard, keyOf, randomNumbers } from './fill-board.ts'
import { median } from './load.ts'
import { startRedis } from './redis.ts'

const LOOKUPS = 5000

/** What a quote asks the ledger, inside of the service: the total of a destination, and the rank of a target. */
export async function rankFigures(boards: Record<string, FilledBoard>, folder: string): Promise<void> {
  heading('Rank and charge looked up inside the service, as a multiple of what ZCOUNT takes inside of Redis')
  const redis = await startRedis(folder)
  if (!redis) console.log('  redis-server is not on the PATH: only microseconds')
  try {
    for (const board of Object.values(boards)) {
      const name = `among ${board.destinations.toLocaleString('en')}`
      const ours = await lookupMicros(board)
      const theirs = await redis?.zcountMicros(board, LOOKUPS, ROUNDS)
      if (!theirs) {
        console.log(`  ${name}: ${micros(ours)}`)
        continue
      }
      const ratios = ours.map((each, round) => each / (theirs[round] ?? Number.NaN))
      report(name, ratios, { atMost: 5 })
      console.log(`    ${micros(ours)}  against  ${micros(theirs)}`)
    }
  } finally {
    await redis?.stop()
  }
}

const micros = (values: readonly number[]) => `${median(values).toFixed(1)} µs`

/** Microseconds for one lookup, one after the other, round by round. */
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

/** Any target, small ones as often as large ones. */
const randomBid = (random: () => number) => Math.min(MAXIMUM_TARGET_USD, Math.floor(5 * 200_000 ** random()))
