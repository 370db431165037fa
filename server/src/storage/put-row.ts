import { type Selectable, sql } from 'kysely'
import { preparedIn } from './prepared.ts'
import type { Database } from './schema.ts'
import type { Trx } from './store.ts'

type Row<T extends keyof Database> = Selectable<Database[T]>
type Column<T extends keyof Database> = keyof Row<T> & string

/**
 * Makes the insert of one row, for a hot path: built once, see `preparedIn`. Columns that are not named are null or what
 * the database gives them. Where a row with its key is there already, that one is kept, or takes all the new values, or
 * the insert fails.
 *
 * @returns a function that gives the columns in `returning` of what it wrote, or undefined where the row there was kept
 */
export function putRow<T extends keyof Database, C extends Column<T>, R extends Column<T> = never>(
  table: T,
  columns: readonly C[],
  {
    key,
    taken,
    returning = [],
  }: { key: readonly C[]; taken: 'keep' | 'replace' | 'fail'; returning?: readonly R[] },
): (trx: Trx, row: Pick<Row<T>, C>) => Promise<Pick<Row<T>, R> | undefined> {
  const replaced = columns.filter(column => !key.includes(column))
  const names = (list: readonly string[]) => sql.join(list.map(name => sql.ref(name)))
  const replace = sql.join(replaced.map(column => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`))
  const act = { keep: sql`do nothing`, replace: sql`do update set ${replace}` }
  const put = preparedIn<(string | number | null)[], Pick<Row<T>, R>>((trx, ...values) =>
    sql<Pick<Row<T>, R>>`
      insert into ${sql.table(table)} (${names(columns)}) values (${sql.join(values)})
      ${taken === 'fail' ? sql`` : sql`on conflict (${names(key)}) ${act[taken]}`}
      returning ${names(returning.length > 0 ? returning : key)}`.compile(trx),
  )
  return async (trx, row) => {
    const [written] = await put(trx, ...columns.map(column => row[column] as string | number | null))
    return written
  }
}
