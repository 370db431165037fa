import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { type Migrations, typesOf } from './types.ts'

/** Owners who proved their website, and claims that no agent submitted. */
async function provenOwners(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** Mail to owners: their addresses, the mails to send, and when an address last got one that it may not want. */
async function ownerMail(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** The daily draws, their candidates and listings, who is left out of them, and the operator's picks. */
async function featured(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** Finds the decisions about a submission. The first has the id of the submission, so publishing writes no index. */
async function decisionsOfSubmissions(db: Kysely<unknown>): Promise<void> {
  await sql`create index decision_of_request on decision ("requestId") where "requestId" <> id`.execute(db)
}

/** Requests for a customer's approval in a browser, and which listings have such an approval. */
async function approvals(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`create table approval (
    "codeHash" text not null primary key,
    destination text not null, "destinationKey" text not null, category text not null,
    agent text not null, preview text, state text not null,
    "createdAt" bigint not null, "expiresAt" bigint not null, "answeredAt" bigint, "idempotencyKey" text
  ) ${typesOf(engine).byKey}`.execute(db)
  await sql`create index approval_age on approval ("createdAt")`.execute(db)
  await sql`alter table claim add column approval text`.execute(db)
}

/** Webhooks of agents, one for each submission. */
async function submissionWebhooks(db: Kysely<unknown>): Promise<void> {
  await sql`create table submission_webhook (
    "requestId" text not null primary key references attempt ("requestId") on delete cascade,
    url text not null, host text not null, nonce text not null, "keyCheckValue" text not null, cursor text not null,
    attempts integer default 0 not null, "dueAt" bigint, "failingSince" bigint,
    "offAt" bigint, "offBecause" text, "lastTriedAt" bigint, "lastStatus" bigint
  )`.execute(db)
  await sql`create index submission_webhook_due on submission_webhook ("dueAt") where "dueAt" is not null`.execute(db)
}

export const FROM_0019: Migrations = {
  '0019': { up: provenOwners, visits: ['claim', 'decision', 'renewed_link'] },
  '0020': { up: ownerMail },
  '0021': { up: featured },
  '0022': { up: decisionsOfSubmissions, visits: ['decision'] },
  '0023': { up: approvals },
  '0024': { up: submissionWebhooks },
}
