import { type Selectable, sql } from 'kysely'
import { preparedIn } from './prepared.ts'
import type { Database } from './schema.ts'
import type { Trx } from './store.ts'

type Row<T extends keyof Database> = Selectable<Database[T]>

/**
 * Makes the insert of one row, for a hot path: built once, see `preparedIn`. Where a row with its key is there already,
 * that one is kept, or takes all the new values.
 *
 * @returns a function that says whether it wrote anything
 */
export function putRow<T extends keyof Database>(
  table: T,
  columns: readonly (keyof Row<T> & string)[],
  { key, taken }: { key: readonly (keyof Row<T> & string)[]; taken: 'keep' | 'replace' },
): (trx: Trx, row: Row<T>) => Promise<boolean> {
  const replaced = columns.filter(column => !key.includes(column))
  const names = (list: readonly string[]) => sql.join(list.map(name => sql.ref(name)))
  const replace = sql.join(replaced.map(column => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`))
  const put = preparedIn<(string | number | null)[], { written: number }>((trx, ...values) =>
    sql<{ written: number }>`
      insert into ${sql.table(table)} (${names(columns)}) values (${sql.join(values)})
      on conflict (${names(key)}) do ${taken === 'keep' ? sql`nothing` : sql`update set ${replace}`}
      returning 1 as written`.compile(trx),
  )
  return async (trx, row) => {
    const written = await put(trx, ...columns.map(column => row[column] as string | number | null))
    return written.length > 0
  }
}
