import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** Owners who proved their website, and claims that no agent submitted. */
export async function provenOwners(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const place = sql`place text not null, "tokenHash" text not null`
  await sql`create table site_owner (
    "listingId" bigint primary key references listing (id), ${place},
    "provenAt" bigint not null, "checkAt" bigint not null, "missingSince" bigint,
    "missingTold" bigint not null default 0
  )`.execute(db)
  await sql`create index site_owner_due on site_owner ("checkAt")`.execute(db)
  await sql`create table waiting_owner (
    "listingId" bigint primary key references listing (id), ${place},
    "provenAt" bigint not null, "effectiveAt" bigint not null, "contestedAt" bigint
  )`.execute(db)
  await sql`alter table renewed_link add column "byProof" bigint not null default 0`.execute(db)
  // Proofs change cached pages, too.
  await sql`drop index decision_acts`.execute(db)
  await sql`
    create index decision_acts on decision (id)
    where kind in ('hide', 'restore', 'refresh', 'category', 'term', 'prove')`.execute(db)
  if (engine === 'postgres') await sql`alter table claim alter column "requestId" drop not null`.execute(db)
  else await withoutRequest(db)
}

/** SQLite can't drop a condition of a column. Dropping a table deletes what refers to it, so the links move, too. */
async function withoutRequest(db: Kysely<unknown>): Promise<void> {
  const link = sql`"claimId", "linkVersion", "keyCheckValue", nonce, "byProof"`
  await sql`create table link_copy as select ${link} from renewed_link`.execute(db)
  await sql`drop table renewed_link`.execute(db)
  await sql`create table claim_copy as select * from claim`.execute(db)
  await sql`drop table claim`.execute(db)
  await sql`create table claim (
    id text primary key, "listingId" bigint not null unique references listing (id),
    "requestId" text unique references attempt ("requestId"),
    "approvalScope" text not null, "rulesVersion" text not null, "approvedAt" bigint not null,
    "destinationAsSent" text not null, "linkVersion" integer not null, "ownerTokenHash" text not null
  )`.execute(db)
  await sql`insert into claim select * from claim_copy`.execute(db)
  await sql`drop table claim_copy`.execute(db)
  await sql`create table renewed_link (
    "claimId" text not null references claim (id) on delete cascade,
    "linkVersion" bigint not null, "keyCheckValue" text not null, nonce text,
    "byProof" bigint not null default 0,
    constraint renewed_link_key primary key ("claimId", "linkVersion")
  )`.execute(db)
  await sql`insert into renewed_link (${link}) select ${link} from link_copy`.execute(db)
  await sql`drop table link_copy`.execute(db)
}
