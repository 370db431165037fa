import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Mail to owners: their addresses, the mails to send, and when an address last got one that it may not want. */
export async function ownerMail(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table owner_mail (
    id text primary key, "listingId" bigint not null references listing (id),
    address text not null, "keyCheckValue" text not null, "addressHash" text not null, choices text not null,
    at bigint not null, "confirmedAt" bigint, refusals integer default 0 not null,
    "overtakenAt" bigint, "summaryDay" text, "summaryRank" bigint
  )`.execute(db)
  // A listing has one confirmed address, and at most one that may replace it.
  await sql`create unique index owner_mail_confirmed on owner_mail ("listingId") where "confirmedAt" is not null`.execute(
    db,
  )
  await sql`create unique index owner_mail_waiting on owner_mail ("listingId") where "confirmedAt" is null`.execute(db)
  await sql`create index owner_mail_forgotten on owner_mail (at) where "confirmedAt" is null`.execute(db)

  await sql`create table outgoing_mail (
    id text primary key, "addressId" text not null references owner_mail (id) on delete cascade,
    "listingId" bigint not null references listing (id), kind text not null, facts text not null,
    at bigint not null, attempts integer default 0 not null, "sendAt" bigint
  )`.execute(db)
  await sql`create index outgoing_mail_due on outgoing_mail ("sendAt") where "sendAt" is not null`.execute(db)
  await sql`create index outgoing_mail_of_address on outgoing_mail ("addressId", kind)`.execute(db)
  await sql`create index outgoing_mail_at on outgoing_mail (at)`.execute(db)
  await sql`alter table notice add column "mailId" text`.execute(db)

  await sql`create table mail_turn (hash text not null primary key, "endsAt" bigint not null) ${byKey}`.execute(db)
  await sql`create index mail_turn_end on mail_turn ("endsAt")`.execute(db)
}
