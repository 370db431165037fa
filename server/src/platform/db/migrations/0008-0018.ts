import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { type Migrations, NOT_BY_0_1_0, typesOf } from './types.ts'

/** Sign-in to the operator's console. */
async function operatorConsole(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** Notifications that were sent to the operator, and warnings. */
async function telling(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** Leases on background jobs. */
async function jobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table job (
    name text not null primary key, holder text, "heldUntil" bigint, fence bigint default 0 not null,
    "startedAt" bigint, "endedAt" bigint, "nextAt" bigint, failures integer default 0 not null,
    "failedAt" bigint, error text
  ) ${byKey}`.execute(db)
}

/** More actions of operators: block hosts, settle payments, change the end of a listing, reissue a private link. */
async function operatorActs(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** The versions of the service that can use this database. */
async function oldestService(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** Attempts also count by the client's network, and wait longer after each timeout of their website. */
async function networkShares(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempt add column "networkHash" text not null default ''`.execute(db)
  await sql`alter table attempt add column "nthOfNetwork" integer not null default 0`.execute(db)
  await sql`alter table attempt add column timeouts integer not null default 0`.execute(db)
  await sql`alter table attempt add column "retryAt" bigint`.execute(db)
  await sql`
    create unique index attempt_of_network on attempt (day, "networkHash", "nthOfNetwork")
    where "networkHash" <> ''`.execute(db)
}

/** The network of an open report, so that one network cannot fill the queue of a listing. */
async function reportNetworks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report add column "networkHash" text`.execute(db)
  // Every open report, because settling those of a listing uses it, too.
  await sql`
    create index report_of_listing on report ("listingId", "networkHash") where "settledAt" is null`.execute(db)
}

/** Proofs of the derived records: the boards' counts, the places taken, and the chain of decisions. */
async function provenRecords(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`alter table board_change add column token text`.execute(db)
  await sql`alter table board_change add column "countsSum" bigint`.execute(db)
  await sql`alter table processor_event add column took text`.execute(db)
  await sql`alter table decision_chain add column "seenAt" bigint`.execute(db)
  await sql`alter table decision_chain add column "notBefore" bigint`.execute(db)

  // Existing counts get an initial change, so that a board without any change has lost them.
  const token = engine === 'postgres' ? sql`md5(random()::text)` : sql`lower(hex(randomblob(16)))`
  await sql`
    insert into board_change (version, moves, token, "countsSum")
    select (select coalesce(max(version), 0) + 1 from board_change), '[]', ${token}, (
      select cast(sum(destinations * (x * x % 2147483647)) % 2147483647 as bigint) from (
        select destinations, (
          case when board = 'all' then 0 else cast(replace(board, '-', '') as bigint) end * 1000003
          + amount * 7919 + 1) % 2147483647 as x
        from board_count where level = 3
      ) as counts
    ) where exists (select 1 from board_count where level = 3)`.execute(db)
}

export const FROM_0008: Migrations = {
  '0008': { up: operatorConsole },
  '0009': { up: telling },
  '0011': { up: jobs },
  '0012': { up: operatorActs, visits: ['decision'] },
  '0013': { up: oldestService, contracts: NOT_BY_0_1_0('0013'), visits: ['board_count'] },
  '0016': { up: networkShares, visits: ['attempt'] },
  '0017': { up: reportNetworks, visits: ['report'] },
  '0018': { up: provenRecords, visits: ['board_count'] },
}
