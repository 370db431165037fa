import { drawToday } from '../../domain/featured/draw.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/**
 * Draws ten listings once per UTC day: right after midnight, or later that day if no process ran then. A day that is over
 * is not drawn any more, because its listings could hang nowhere and would be out for a month.
 */
export const drawByLot: JobDefinition<'clock' | 'log'> = {
  name: 'draw',
  does: 'draws ten listings by lot, once a day',
  everyMs: SECOND_MS,
  start:
    ({ clock, log }) =>
    // Asks the database each time, because it may go back to before the draw.
    async ({ store, signal }) => {
      const day = await drawToday(store, clock(), { signal })
      if (day !== undefined) log.info({ day }, 'drew the day’s listings by lot')
    },
}
