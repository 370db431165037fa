import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../tables/index.ts'
import { typesOf } from '../types.ts'

/** Attempts, listings, claims and their links, the audit log, and the service keys. */
export async function publishing(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, bytes } = typesOf(engine)

  await sql`create table attempt (
    "requestId" text primary key, "idempotencyKey" text not null unique,
    "secretHash" text not null, fingerprint text not null, hostname text not null, "clientHash" text not null,
    day text not null, "nthOfDay" bigint not null, "nthOfClient" bigint not null, "nthOfHostname" bigint not null,
    state text not null, "leaseId" text, "leaseUntil" bigint, code text, reason text, detail text,
    "createdAt" bigint not null, "settledAt" bigint
  )`.execute(db)
  // Unique, so that the database itself enforces the quotas. The last place in each is found with one lookup.
  await sql`create unique index attempt_of_day on attempt (day, "nthOfDay")`.execute(db)
  await sql`create unique index attempt_of_client on attempt (day, "clientHash", "nthOfClient")`.execute(db)
  await sql`create unique index attempt_of_hostname on attempt (day, hostname, "nthOfHostname")`.execute(db)
  // These indexes find old rows, and contain only what is left to delete.
  await sql`create index attempt_unpublished on attempt ("createdAt") where state <> 'published'`.execute(db)
  await sql`create index attempt_client_known on attempt (day) where "clientHash" <> ''`.execute(db)

  await sql`create table listing (
    id ${rowId}, slug text not null unique, "destinationKey" text not null unique,
    url text not null, hostname text not null, category text not null,
    title text not null, description text not null, "siteName" text not null, language text not null,
    "imageUrl" text, "publishedAt" bigint not null, "expiresAt" bigint,
    "hiddenAt" bigint, "hiddenBy" text, "hiddenReason" text, "searchText" text default '' not null
  )`.execute(db)
  await sql`
    create index listing_newest on listing ("publishedAt" desc, id desc) where "hiddenAt" is null`.execute(db)
  // Places on past days of listings that were hidden later.
  await sql`
    create index listing_hidden_paid on listing ("hiddenAt", "destinationKey")
    where "hiddenAt" is not null and "expiresAt" is null`.execute(db)

  await sql`create table claim (
    id text primary key, "listingId" bigint not null unique references listing (id),
    "requestId" text not null unique references attempt ("requestId"),
    "approvalScope" text not null, "rulesVersion" text not null, "approvedAt" bigint not null,
    "destinationAsSent" text not null, "linkVersion" integer not null, "ownerTokenHash" text not null
  )`.execute(db)

  await sql`create table audit_event (
    id ${rowId}, "listingId" bigint not null references listing (id),
    action text not null, actor text not null, reason text not null, at bigint not null
  )`.execute(db)

  await sql`create table service_key (
    id ${rowId}, "checkValue" text not null unique, "firstUsedAt" bigint not null, "lostAt" bigint
  )`.execute(db)

  await sql`create table renewed_link (
    "claimId" text not null references claim (id) on delete cascade,
    "linkVersion" bigint not null, "keyCheckValue" text not null,
    constraint renewed_link_key primary key ("claimId", "linkVersion")
  )`.execute(db)

  await sql`create table write_probe (id bigint primary key, filler ${bytes} not null)`.execute(db)
}
