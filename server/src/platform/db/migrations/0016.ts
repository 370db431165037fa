import { type Kysely, sql } from 'kysely'

/** Attempts also count by the client's network, and wait longer after each timeout of their website. */
export async function networkShares(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempt add column "networkHash" text not null default ''`.execute(db)
  await sql`alter table attempt add column "nthOfNetwork" integer not null default 0`.execute(db)
  await sql`alter table attempt add column timeouts integer not null default 0`.execute(db)
  await sql`alter table attempt add column "retryAt" bigint`.execute(db)
  await sql`
    create unique index attempt_of_network on attempt (day, "networkHash", "nthOfNetwork")
    where "networkHash" <> ''`.execute(db)
}
