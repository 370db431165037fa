import { sql } from 'kysely'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { DecisionKind } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'

/** For how long a decision can be contested: six months, however long they are. */
export const CONTEST_DAYS = 184

/** For how long the facts that end are kept: an appeal of the last day is decided by then. */
export const FACTS_DAYS = CONTEST_DAYS + 60

/** Whose facts end. Those of the others belong to a listing, and stay as long as it does. */
export const FACTS_END: readonly DecisionKind[] = ['refuse', 'report', 'settle', 'appeal', 'outcome']

/**
 * Deletes the facts of old decisions, and leaves their hash, by which the chain still proves itself. An appeal that
 * nobody has decided keeps its statement.
 */
export async function endFacts(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    // The condition is spelt as in the index.
    sql`
      update decision set facts = null where id in (
        select id from decision
        where facts is not null and kind in ('refuse', 'report', 'settle', 'appeal', 'outcome')
          and at < ${before}
          and (kind <> 'appeal' or exists (
            select 1 from decision as answer where answer.about = decision.about and answer.kind = 'outcome'))
        order by at limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
