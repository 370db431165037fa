import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

/** How many rows one transaction deletes at most: it takes milliseconds, and nobody waits longer for it. */
export const ROWS_AT_ONCE = 200

/**
 * Deletes the first few rows of a table that may go, in one durable transaction.
 *
 * @param key the columns that name a row
 * @param where SQL; write values into it that are part of a partial index as they stand there
 * @param order SQL; by an index, or each step would look again through what earlier ones deleted
 * @returns how many rows it deleted: fewer than `ROWS_AT_ONCE` when nothing is left
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
