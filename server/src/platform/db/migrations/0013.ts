import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** The versions of the service that can use this database. */
export async function oldestService(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`create table oldest_service (
    id integer not null primary key, schema text not null, version text not null
  )`.execute(db)
  await sql`insert into oldest_service (id, schema, version) values (1, '0013', '0.2.0')`.execute(db)

  // 0.1.0 does not check, and would move ranks without the others' knowledge. What only it writes is refused, so its
  // payments fail completely, and the processor redelivers them.
  if (engine === 'postgres') {
    await sql`
      alter table board_count add constraint board_count_not_by_placard_0_1_0 check (level >= 3)`.execute(db)
  } else {
    await sql`create trigger board_count_not_by_older before insert on board_count when new.level < 3
      begin select raise(abort, 'Placard 0.1.0 may not write to this database: stop it'); end`.execute(db)
  }
}
