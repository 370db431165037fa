import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'

/** How many places ahead are looked at. Whoever leapt further is not named. */
const LOOKED_AT = 50

/**
 * The listing that moved ahead of a place by paying since a time: the highest of those whose payments heard of until
 * then add up to less than the place has. Null if none is sure to be it, since naming the wrong one is worse than none.
 *
 * @param since Unix milliseconds, on this service's clock
 */
export async function findOvertaker(
  store: Store,
  place: { board: string; destinationKey: string; totalCents: number; reachedAt: number; since: number },
): Promise<number | null> {
  const [overtaker] = await overtakers(store, place)
  return overtaker?.listingId ?? null
}

const overtakers = statement(
  {
    ...{ board: 'text', destinationKey: 'text', totalCents: 'bigint', reachedAt: 'bigint' },
    since: 'bigint',
  },
  ({ board, destinationKey, totalCents, reachedAt, since }) => sql<{ listingId: number }>`
    select ahead."listingId" from (
      select "listingId", "destinationKey", "totalCents", "reachedAt" from board_total
      where board = ${board} and shown = 1 and "totalCents" >= ${totalCents}
        and "destinationKey" <> ${destinationKey}
        and ("totalCents" > ${totalCents} or "reachedAt" < ${reachedAt}
          or ("reachedAt" = ${reachedAt} and "destinationKey" < ${destinationKey}))
      order by "totalCents", "reachedAt" desc, "destinationKey" desc limit ${sql.lit(LOOKED_AT)}
    ) as ahead
    where ${totalCents} > (
      select coalesce(sum(payment."netCents"), 0) from payment
      where payment."destinationKey" = ahead."destinationKey" and (${board} = 'all' or payment.day = ${board})
        and exists (
          select 1 from processor_event as event
          where event."paymentId" = payment."paymentId" and event.processor = payment.processor
            and event.kind = 'paid' and event."receivedAt" <= ${since}
        )
    )
    order by ahead."totalCents" desc, ahead."reachedAt", ahead."destinationKey" limit 1`,
)
