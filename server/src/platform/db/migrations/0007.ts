import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Snapshots of listed pages, their rechecks, and findings for the operator. */
export async function continuity(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, byKey } = typesOf(engine)

  await sql`create table seen_page (
    "listingId" bigint not null primary key references listing (id) on delete cascade, snapshot text,
    "lookAt" bigint not null, "lookedAt" bigint default 0 not null,
    tries integer default 0 not null, "troubledSince" bigint
  ) ${byKey}`.execute(db)
  await sql`create index seen_page_due on seen_page ("lookAt")`.execute(db)
  await sql`create index seen_page_looked on seen_page ("lookedAt", "listingId")`.execute(db)
  // The hourly limit spreads the first rechecks of existing listings, the newest first.
  await sql`insert into seen_page ("listingId", "lookAt") select id, -id from listing`.execute(db)

  await sql`create table finding (
    id ${rowId}, "listingId" bigint not null references listing (id), kind text not null,
    evidence text not null, "firstSeenAt" bigint not null, "lastSeenAt" bigint not null,
    "settledAt" bigint, "settledBy" text, settlement text
  )`.execute(db)
  await sql`
    create unique index finding_open on finding ("listingId", kind) where "settledAt" is null`.execute(db)
  await sql`create index finding_queue on finding (id) where "settledAt" is null`.execute(db)
  await sql`create index finding_settled on finding ("settledAt") where "settledAt" is not null`.execute(db)
  await sql`create index finding_of_listing on finding ("listingId", "firstSeenAt")`.execute(db)
}
