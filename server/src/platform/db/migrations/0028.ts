import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** Finds the entries of the public log about a listing. Most entries of other kinds have none. */
export async function rowsOfListings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const listing =
    engine === 'postgres'
      ? sql`(substring(entry from '"listing":([0-9]+)')::bigint)`
      : sql`json_extract(entry, '$.listing')`
  await sql`create index log_entry_of_listing on log_entry (${listing}, position) where ${listing} is not null`.execute(
    db,
  )
}
