import { type RawBuilder, sql } from 'kysely'

/**
 * A parameter for a join or a subquery on a hot path. Where a bare one stands there, SQLite (built with STAT4, as
 * the driver's is) plans the statement anew for every value, which takes several times as long as running it.
 */
export const fixedPlan = (value: string | number): RawBuilder<string> =>
  typeof value === 'string' ? sql`cast(${value} as text)` : sql`cast(${value} as bigint)`
