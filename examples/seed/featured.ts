import { drawToday } from '../../server/dist/domain/featured/draw.js'
import { featureListing } from '../../server/dist/domain/featured/feature.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import { DAY_MS } from './plan.ts'

/** With more, most listings would be out of the draws for the month that follows. */
const DRAWS = 7

/** Draws by lot for the last days, which the job can't do while the clock jumps, and picks a listing as an operator. */
export async function feature(store: Store, now: number): Promise<void> {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS
  for (let day = DRAWS - 1; day >= 0; day--) await drawToday(store, midnight - day * DAY_MS)
  const words =
    'Eighty years of weather, hour by hour, with no key and no banner. I looked up the day I was born and stayed for an hour.'
  await featureListing(store, 'pick', 'meteo-open-org', { name: 'Ida', words, at: midnight - 3 * DAY_MS })
}
