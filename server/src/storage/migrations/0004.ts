import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'
import { typesOf } from './0001/types.ts'

/** The upper levels of the counts are summed up in memory, which follows these changes. */
export async function countsInMemory(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId } = typesOf(engine)
  await sql`create table board_change (version ${rowId}, moves text not null)`.execute(db)
  // A count that came to nothing is deleted at once from now on.
  await sql`drop index board_count_empty`.execute(db)
  await sql`delete from board_count where level < 3 or destinations = 0`.execute(db)
}
