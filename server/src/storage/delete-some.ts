import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

/** The most rows that one transaction deletes: few enough to take milliseconds. */
export const ROWS_AT_ONCE = 200

/**
 * Deletes the first few matching rows of a table, in one durable transaction.
 *
 * @param key the columns that identify a row
 * @param where SQL; to use a partial index, spell its values exactly as in the index
 * @param order SQL; use an index, or each step would rescan what earlier ones deleted
 * @returns how many rows it deleted: fewer than `ROWS_AT_ONCE` if none are left
 */
export async function deleteSome<T extends keyof Database & string>(
  store: Store,
  table: T,
  {
    key,
    where,
    order,
  }: { key: readonly (keyof Database[T] & string)[]; where: RawBuilder<unknown>; order: RawBuilder<unknown> },
): Promise<number> {
  const columns = sql.join(key.map(column => sql.ref(column)))
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      delete from ${sql.table(table)} where (${columns}) in (
        select ${columns} from ${sql.table(table)} where ${where} order by ${order} limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
