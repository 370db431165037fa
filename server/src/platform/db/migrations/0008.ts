import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Sign-in to the operator's console. */
export async function operatorConsole(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table console_link (
    hash text not null primary key, name text not null, "endsAt" bigint not null
  ) ${byKey}`.execute(db)
  await sql`create index console_link_end on console_link ("endsAt")`.execute(db)
  await sql`create table console_session (
    hash text not null primary key, name text not null, "endsAt" bigint not null, "lastAct" text
  ) ${byKey}`.execute(db)
  await sql`create index console_session_end on console_session ("endsAt")`.execute(db)
}
