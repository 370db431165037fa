import { sql } from 'kysely'
import { deleteSome, ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'

/**
 * Deletes old attempts that published nothing: refused, or never finished. Repeating one after that makes a new
 * attempt. Attempts of the current day must stay, since they are the quotas' counts.
 */
export const forgetUnpublished = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'attempt', {
    key: ['requestId'],
    // Keep one that is being repeated right now.
    where: sql`state <> 'published' and "createdAt" < ${before} and ("leaseUntil" is null or "leaseUntil" < ${before})`,
    order: sql`"createdAt"`,
  })

/** Removes the client's hash from attempts of past days, since it only served to count within its day. */
export async function forgetClients(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      update attempt set "clientHash" = '' where "requestId" in (
        select "requestId" from attempt where "clientHash" <> '' and day < ${utcDay(before)}
        order by day limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
