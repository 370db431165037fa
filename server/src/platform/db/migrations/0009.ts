import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Notifications that were sent to the operator, and warnings. */
export async function telling(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table told (
    channel text not null primary key, "toldPosition" bigint not null, "toldTime" bigint not null,
    "digestDay" text not null, message text, attempts integer default 0 not null,
    "messageAt" bigint, "tryAt" bigint not null
  ) ${byKey}`.execute(db)

  await sql`create table warning (
    kind text not null primary key, at bigint not null
  ) ${byKey}`.execute(db)
}
