import { type Kysely, sql } from 'kysely'

/** A witness shows what it cosigned, with the signatures. */
export async function witnessedNotes(db: Kysely<unknown>): Promise<void> {
  await sql`alter table witnessed_log add column note text not null default ''`.execute(db)
}
