import { sql } from 'kysely'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes windows that ended before a time, unless one begins anew this very moment. */
export async function forgetWindows(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      delete from allowance_window where "endsAt" < ${before} and key in (
        select key from allowance_window where "endsAt" < ${before} order by "endsAt" limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
