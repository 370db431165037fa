import { type Kysely, sql } from 'kysely'

/** When the public side of a listing last changed, so that mirrors can ask for what changed since a time. */
export async function listingUpdates(db: Kysely<unknown>): Promise<void> {
  await sql`alter table listing add column "updatedAt" bigint default 0 not null`.execute(db)
  // An extended listing was published in the future, because its end is a fixed time later.
  const now = Date.now()
  await sql`
    update listing set "updatedAt" = case
      when "hiddenAt" is not null then "hiddenAt" when "publishedAt" < ${now} then "publishedAt" else ${now} end`.execute(
    db,
  )
  await sql`create index listing_updated on listing ("updatedAt", id)`.execute(db)
}
