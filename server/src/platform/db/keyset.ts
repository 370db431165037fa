import { type RawBuilder, sql } from 'kysely'

type Direction = 'asc' | 'desc'

/** The values of a row in the columns of an order. */
type Position<Column extends string, Value = unknown> = Readonly<Record<Column, Value>>

/** The page of a list to read. */
export interface PageWanted<Cursor> {
  /** Where the previous page ended; undefined for the first page. */
  after?: Cursor | undefined
  limit: number
}

export interface Page<Row> {
  rows: Row[]
  /** The last of the rows if more follow: the next page begins after it. */
  next: Row | undefined
}

/** @param rows the page and, if more rows follow, one extra row */
export function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1) : undefined }
}

/**
 * An order of rows in which a page can begin after any row, at the same cost wherever that row is. The columns together
 * must be unique.
 *
 * If all columns have one direction, the rows on one side of a position are one range of the index. If not, they are one
 * range per column, because PostgreSQL uses no index range for `a < x or (a = x and b > y)`. Each range is then a part
 * of a union with its own limit, because otherwise PostgreSQL sorts everything that follows the position.
 */
export class Keyset<Column extends string> {
  readonly #columns: readonly (readonly [Column, Direction])[]

  /** @param columns their directions, in the order of comparison: `{ totalCents: 'desc', reachedAt: 'asc' }` */
  constructor(columns: Readonly<Record<Column, Direction>>) {
    this.#columns = Object.entries(columns) as [Column, Direction][]
  }

  /** Returns this order from its end. */
  reversed(): Keyset<Column> {
    const columns = this.#columns.map(([column, direction]) => [column, direction === 'asc' ? 'desc' : 'asc'])
    return new Keyset(Object.fromEntries(columns) as Record<Column, Direction>)
  }

  /** SQL for an `order by` clause. @param table qualifies the columns */
  orderBy(table?: string): RawBuilder<unknown> {
    const columns = this.#columns.map(([column, direction]) => {
      const name = sql.ref(table === undefined ? column : `${table}.${column}`)
      return direction === 'desc' ? sql`${name} desc` : name
    })
    return sql`order by ${sql.join(columns)}`
  }

  /**
   * SQL for the first rows in this order, or for those that follow a position.
   *
   * @param source a `select` with the columns of the order, which must end with a condition
   */
  page<Row>(source: RawBuilder<unknown>, limit: number, after?: Position<Column>): RawBuilder<Row> {
    const end = sql`${this.orderBy()} limit ${limit}`
    if (!after) return sql`${source} ${end}`
    // The nearest rows first: they differ from the position only in the last column.
    const [range, ...others] = this.#ranges(after, 'after').toReversed()
    if (others.length === 0) return sql`${source} and ${range} ${end}`
    const parts = [range, ...others].map(each => sql`select * from (${source} and ${each} ${end}) as part`)
    return sql`${sql.join(parts, sql` union all `)} ${end}`
  }

  /**
   * SQL for the number of rows ahead of a position.
   *
   * @param max where each range stops counting: the result is exact up to this number, and at least as large beyond
   * @param orAt whether a row at the position itself counts
   */
  countAhead(
    source: RawBuilder<unknown>,
    position: Position<Column>,
    { max, orAt }: { max: number; orAt: boolean },
  ): RawBuilder<number> {
    const parts = this.#ranges(position, 'ahead', orAt).map(
      range => sql`select count(*) as n from (${source} and ${range} limit ${sql.lit(max)}) as part`,
    )
    return sql`(select cast(sum(n) as bigint) from (${sql.join(parts, sql` union all `)}) as ahead)`
  }

  /** A condition in SQL for rows ahead of a position. No index helps with it, so use it on a few rows. */
  isRowAhead(position: Position<Column>): RawBuilder<boolean> {
    return sql`(${sql.join(this.#ranges(position, 'ahead'), sql` or `)})`
  }

  /** Whether one position is ahead of another. Compares texts as both databases do, by their bytes, if they are ASCII. */
  isAhead(one: Position<Column, number | string>, other: Position<Column, number | string>): boolean {
    const [column, direction] = this.#columns.find(([each]) => one[each] !== other[each]) ?? []
    return column !== undefined && one[column] < other[column] === (direction === 'asc')
  }

  /** Conditions for the ranges of rows on one side of a position, the farthest range first. */
  #ranges(position: Position<Column>, side: 'ahead' | 'after', orAt = false): RawBuilder<unknown>[] {
    const last = this.#columns.length - 1
    const compare = (index: number) => {
      const isGreater = (this.#columns[index]?.[1] === 'asc') === (side === 'after')
      return sql.raw((isGreater ? '>' : '<') + (orAt && index === last ? '=' : ''))
    }
    const names = this.#columns.map(([column]) => sql.ref(column))
    const values = this.#columns.map(([column]) => sql`${position[column]}`)
    if (new Set(this.#columns.map(([, direction]) => direction)).size === 1) {
      return [sql`(${sql.join(names)}) ${compare(last)} (${sql.join(values)})`]
    }
    return names.map((_, end) => {
      const conditions = names
        .slice(0, end + 1)
        .map((name, index) => sql`${name} ${index < end ? sql`=` : compare(index)} ${values[index]}`)
      return sql.join(conditions, sql` and `)
    })
  }
}
