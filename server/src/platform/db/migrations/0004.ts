import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** What clients did in the current window of a limit. Only instances that share a PostgreSQL use it. */
export async function allowances(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const isPostgres = engine === 'postgres'
  // Losing its rows does no harm, so no commit waits for the disk.
  await sql`create ${sql.raw(isPostgres ? 'unlogged' : '')} table allowance_window (
    key text primary key, "endsAt" bigint not null, granted bigint not null, spare bigint not null
  ) ${sql.raw(isPostgres ? 'with (fillfactor = 50)' : '')}`.execute(db)
  await sql`create index allowance_window_end on allowance_window ("endsAt")`.execute(db)
}
