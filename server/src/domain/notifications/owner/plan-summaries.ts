import { sql } from 'kysely'
import { statement } from '../../../platform/db/statement.ts'
import type { Store } from '../../../platform/db/store.ts'
import { summaryMonday } from './mail-message.ts'
import { planMail } from './plan-mail.ts'

const BATCH = 200

/**
 * Plans the summary of last week for each address that was confirmed before its Monday, once, from 7:00 UTC on.
 *
 * @param planned the Monday that an earlier call returned
 * @returns the Monday that all summaries are planned for
 */
export async function planSummaries(store: Store, now: number, planned: string, stop: AbortSignal): Promise<string> {
  const monday = summaryMonday(now)
  if (monday === planned) return planned
  while (!stop.aborted) {
    const due = await dueSummaries(store, { monday, since: Date.parse(monday), now })
    await store.transact(async trx => {
      for (const { id, listingId } of due) {
        const { numUpdatedRows } = await trx
          .updateTable('owner_mail')
          .set({ summaryDay: monday })
          .where('id', '=', id)
          .where('summaryDay', 'is distinct from', monday)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) await planMail(trx, listingId, { kind: 'summary', facts: { monday } }, now)
      }
    })
    if (due.length < BATCH) return monday
  }
  return planned
}

const dueSummaries = statement(
  { monday: 'text', since: 'bigint', now: 'bigint' },
  ({ monday, since, now }) => sql<{ id: string; listingId: number }>`
    select owner_mail.id, owner_mail."listingId" from owner_mail
      join listing on listing.id = owner_mail."listingId"
    where "confirmedAt" is not null and "confirmedAt" < ${since} and choices like '%summary%'
      and listing."hiddenAt" is null and (listing."expiresAt" is null or listing."expiresAt" > ${now})
      and ("summaryDay" is null or "summaryDay" < ${monday})
    order by owner_mail."listingId" limit ${sql.lit(BATCH)}`,
)
