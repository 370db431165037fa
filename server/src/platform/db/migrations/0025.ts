import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** The tables of the public log of decisions and boards. */
export async function publicLog(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, bytes, byKey } = typesOf(engine)

  await sql`create table log_outbox (
    id ${rowId}, at bigint not null, kind text not null, board text, "listingId" bigint,
    "changeCents" bigint, "totalCents" bigint, "reachedAt" bigint, shown integer, extra text
  )`.execute(db)
  await sql`create table log_entry (position bigint not null primary key, entry text not null, "decisionId" text)`.execute(
    db,
  )
  await sql`create unique index log_entry_of_decision on log_entry ("decisionId") where "decisionId" is not null`.execute(
    db,
  )
  await sql`create table log_node (
    level integer not null, "index" bigint not null, hash ${bytes} not null,
    constraint log_node_key primary key (level, "index")
  ) ${byKey}`.execute(db)
  await sql`create table log_head (
    id integer not null primary key, size bigint not null, "seenAt" bigint, broken text
  )`.execute(db)
  await sql`create table log_checkpoint (
    id integer not null primary key, origin text not null, size bigint not null, root text not null,
    note text not null, at bigint not null
  )`.execute(db)
  await sql`create table witnessed_log (
    origin text not null primary key, size bigint not null, root text not null, at bigint not null
  )`.execute(db)

  await sql`alter table decision add column salt text`.execute(db)
  await sql`alter table draw add column "logSize" bigint`.execute(db)
}
