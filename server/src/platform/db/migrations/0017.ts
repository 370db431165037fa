import { type Kysely, sql } from 'kysely'

/** The network of an open report, so that one network cannot fill the queue of a listing. */
export async function reportNetworks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report add column "networkHash" text`.execute(db)
  // Every open report, because settling those of a listing uses it, too.
  await sql`
    create index report_of_listing on report ("listingId", "networkHash") where "settledAt" is null`.execute(db)
}
