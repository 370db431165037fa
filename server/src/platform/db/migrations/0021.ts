import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** The daily draws, their candidates and listings, who is left out of them, and the operator's picks. */
export async function featured(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { bytes, byKey } = typesOf(engine)

  await sql`create table draw (
    day text not null primary key, at bigint not null, algorithm integer not null,
    seed text not null, "chainPosition" bigint not null,
    candidates bigint not null, "candidatesHash" text not null, pages integer not null
  )`.execute(db)
  await sql`create table draw_candidates (
    day text not null references draw (day), page integer not null, slugs ${bytes} not null, primary key (day, page)
  )`.execute(db)
  await sql`create table drawn_listing (
    day text not null references draw (day), place integer not null,
    "listingId" bigint not null references listing (id), primary key (day, place)
  ) ${byKey}`.execute(db)
  await sql`create index drawn_listing_of on drawn_listing ("listingId", day)`.execute(db)
  await sql`create table draw_exclusion (
    "listingId" bigint not null primary key references listing (id), "decisionId" text not null, at bigint not null
  )`.execute(db)

  await sql`create table pick (
    id text not null primary key, "listingId" bigint not null references listing (id),
    note text not null, "pickedBy" text not null, at bigint not null, "endedAt" bigint
  )`.execute(db)
  // A listing has at most one pick that is in force.
  await sql`create unique index pick_in_force on pick ("listingId") where "endedAt" is null`.execute(db)
}
