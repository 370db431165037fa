import { sql } from 'kysely'
import type { Database } from '../storage/schema.ts'
import type { Db, Engine } from '../storage/store.ts'

/**
 * Whether each table goes along when a board moves, in an order in which each comes after those it refers to. The type
 * makes sure that no table is missing. What is derived goes along, too, and is proved afterwards.
 */
const GOES_ALONG: Record<keyof Database, boolean> = {
  service_key: true,
  attempt: true,
  listing: true,
  search_word: true,
  search_stale: true,
  claim: true,
  renewed_link: true,
  decision: true,
  decision_chain: true,
  decision_count: true,
  checkout: true,
  processor_event: true,
  payment: true,
  settled_payment: true,
  board_total: true,
  board_count: true,
  board_change: true,
  board_mark: true,
  place_taken: true,
  picture: true,
  listing_day: true,
  report: true,
  blocked_host: true,
  watch: true,
  watched_place: true,
  notice: true,
  webhook: true,
  seen_page: true,
  finding: true,
  told: true,
  warning: true,
  console_operator: true,
  // Operators enter anew.
  console_link: false,
  console_session: false,
  // Says which process does what.
  job: false,
  // Says nothing.
  write_probe: false,
  // The migrations say it.
  oldest_service: false,
  // Counts of the minutes before.
  allowance_window: false,
}

export type Table = keyof Database

/** The tables that go along, each after those it refers to. */
export const TABLES = (Object.keys(GOES_ALONG) as Table[]).filter(table => GOES_ALONG[table])

export interface Column {
  name: string
  kind: 'text' | 'number' | 'bytes'
}

/** The columns of a table that are stored, without those the database works out. */
export async function columnsOf(db: Db, engine: Engine, table: Table): Promise<Column[]> {
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string; type: string }>`select name, type from pragma_table_info(${table}) order by cid`
    : sql<{ name: string; type: string }>`
        select column_name as name, data_type as type from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
        order by ordinal_position`
  ).execute(db)
  return rows.map(({ name, type }) => ({ name, kind: kindOf(table, type.toLowerCase()) }))
}

/** @throws Error for a type that nobody has thought of, so that the test of moving finds it */
function kindOf(table: Table, type: string): Column['kind'] {
  if (type === 'text') return 'text'
  if (type === 'bigint' || type === 'integer') return 'number'
  if (type === 'blob' || type === 'bytea') return 'bytes'
  throw new Error(`${table} has a column of type ${type}, which cannot be moved`)
}

/** How many rows a table has. */
export async function countRows(db: Db, table: Table): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.n)
}
