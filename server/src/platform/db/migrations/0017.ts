import { type Kysely, sql } from 'kysely'

/** Which network an open report came from, so that one network cannot fill the queue of a listing. */
export async function reportNetworks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report add column "networkHash" text`.execute(db)
  // Every open report, since settling those of a listing looks for it too.
  await sql`
    create index report_of_listing on report ("listingId", "networkHash") where "settledAt" is null`.execute(db)
}
