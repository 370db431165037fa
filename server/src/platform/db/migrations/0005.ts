import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Payments and publishes write less. */
export async function fewerWrites(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId } = typesOf(engine)

  // The upper levels of the counts are computed in memory, which follows these changes.
  await sql`create table board_change (version ${rowId}, moves text not null)`.execute(db)
  // From now on, a count that reaches zero is deleted at once.
  await sql`drop index board_count_empty`.execute(db)
  await sql`delete from board_count where level < 3 or destinations = 0`.execute(db)

  // One index enforces a client's quota, and finds what is left to delete.
  await sql`drop index attempt_client_known`.execute(db)
  await sql`drop index attempt_of_client`.execute(db)
  await sql`
    create unique index attempt_of_client on attempt (day, "clientHash", "nthOfClient")
    where "clientHash" <> ''`.execute(db)
}
