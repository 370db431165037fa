import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'
import { typesOf } from './0001/types.ts'

/** The upper levels of the counts are summed up in memory, which follows these changes. */
export async function countsInMemory(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)
  await sql`create table board_change (version bigint primary key, moves text not null) ${byKey}`.execute(db)
  await sql`delete from board_count where level < 3`.execute(db)
}
