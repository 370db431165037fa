import { type Kysely, sql } from 'kysely'

/**
 * What the deleting of old rows is found by. Each index holds only what is left to look at, so that a look that finds
 * nothing reads one page, and rows that stay for good cost nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('checkout').addColumn('kept_at', 'bigint').execute()
  await sql`create index attempt_unpublished on attempt (created_at) where state <> 'published'`.execute(db)
  await sql`create index attempt_client_known on attempt (day) where client_hash <> ''`.execute(db)
  await sql`create index checkout_in_question on checkout (created_at) where kept_at is null`.execute(db)
  await sql`create index report_settled on report (settled_at) where settled_at is not null`.execute(db)
  await sql`create index listing_day_of_day on listing_day (day) where length(day) = 10`.execute(db)
  await sql`create index board_count_empty on board_count (board) where destinations = 0`.execute(db)
  await sql`create index sandbox_event_of_time on sandbox_event (created_at)`.execute(db)
}
