import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Followed listings, and notices about them. */
export async function notices(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table watch (
    "listingId" bigint primary key references listing (id),
    "feedHash" text unique, "feedNonce" text, "feedKeyCheckValue" text, "feedLinkVersion" integer,
    "checkAt" bigint, "failingSince" bigint, "goneTold" integer default 0 not null, "endTold" bigint
  )`.execute(db)
  // Only followed listings.
  await sql`create index watch_followed on watch ("checkAt") where "checkAt" is not null`.execute(db)

  await sql`create table watched_place (
    "listingId" bigint not null references listing (id), board text not null, "boardKey" text not null,
    rank bigint not null, "totalCents" bigint not null, "reachedAt" bigint not null,
    "seenAt" bigint not null, changes bigint not null,
    constraint watched_place_key primary key ("listingId", board)
  ) ${byKey}`.execute(db)

  await sql`create table notice (
    id text primary key, "listingId" bigint not null references listing (id), kind text not null,
    facts text not null, at bigint not null, attempts integer default 0 not null, "tryAt" bigint
  )`.execute(db)
  await sql`create index notice_of_listing on notice ("listingId", at desc, id desc)`.execute(db)
  await sql`create index notice_at on notice (at)`.execute(db)
  await sql`create index notice_due on notice ("tryAt") where "tryAt" is not null`.execute(db)

  await sql`create table webhook (
    "listingId" bigint primary key references listing (id), url text not null, host text not null,
    nonce text not null, "keyCheckValue" text not null, "failingSince" bigint, "offAt" bigint, "offBecause" text,
    "lastTriedAt" bigint, "lastStatus" integer
  )`.execute(db)
}
