import { sql } from 'kysely'
import { deleteSome, ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'

/**
 * Deletes attempts from before a time that published nothing: refused, or never finished. Whoever repeats one after that
 * makes a new attempt. Those of a present day must stay, since the quotas are counted by them.
 */
export const forgetUnpublished = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'attempt', {
    key: ['requestId'],
    // One that somebody repeats at this moment is left to them.
    where: sql`state <> 'published' and "createdAt" < ${before} and ("leaseUntil" is null or "leaseUntil" < ${before})`,
    order: sql`"createdAt"`,
  })

/**
 * Takes the client out of attempts of days before that of a time. It was there to be counted within its day. The place
 * among those of its client becomes the one among all, which no other attempt of the day has.
 */
export async function forgetClients(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      update attempt set "clientHash" = '', "nthOfClient" = "nthOfDay" where "requestId" in (
        select "requestId" from attempt where "clientHash" <> '' and day < ${utcDay(before)}
        order by day limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
