import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** More actions of operators: block hosts, settle payments, change the end of a listing, reissue a private link. */
export async function operatorActs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, byKey } = typesOf(engine)

  await sql`create table blocked_host (
    id ${rowId}, host text not null, subdomains integer not null, reason text not null,
    "blockedBy" text not null, "blockedAt" bigint not null, "decisionId" text not null, "endedAt" bigint
  )`.execute(db)
  await sql`create unique index blocked_host_now on blocked_host (host) where "endedAt" is null`.execute(db)
  await sql`
    create index blocked_host_ended on blocked_host ("endedAt") where "endedAt" is not null`.execute(db)

  await sql`create table settled_payment (
    processor text not null, "paymentId" text not null, "settledAt" bigint not null,
    "settledBy" text not null, settlement text not null, events bigint not null,
    constraint settled_payment_key primary key (processor, "paymentId")
  ) ${byKey}`.execute(db)

  await sql`create table console_operator (
    name text not null primary key, "linkedAt" bigint not null
  ) ${byKey}`.execute(db)
  await sql`
    insert into console_operator (name, "linkedAt") select name, max("endsAt") from (
      select name, "endsAt" from console_link union all select name, "endsAt" from console_session
    ) as known group by name`.execute(db)

  await sql`alter table finding add column "decisionId" text`.execute(db)
  await sql`alter table renewed_link add column nonce text`.execute(db)

  await sql`drop index decision_acts`.execute(db)
  await sql`
    create index decision_acts on decision (id)
    where kind in ('hide', 'restore', 'refresh', 'category', 'term')`.execute(db)
}
