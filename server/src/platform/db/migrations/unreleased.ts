import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { type Migrations, typesOf } from './types.ts'

/**
 * The public log of decisions and boards, which replaces the chain of decisions. What the store has already waits for
 * its entry: its totals and draws in the outbox, its decisions without a position.
 */
async function publicLog(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, bytes, byKey } = typesOf(engine)

  await sql`create table log_outbox (
    id ${rowId}, at bigint not null, kind text not null, board text, "listingId" bigint,
    "changeCents" bigint, "totalCents" bigint, "reachedAt" bigint, shown integer, extra text
  )`.execute(db)
  await sql`create table log_entry (position bigint not null primary key, entry text not null, "decisionId" text)`.execute(
    db,
  )
  await sql`create unique index log_entry_of_decision on log_entry ("decisionId") where "decisionId" is not null`.execute(
    db,
  )
  await sql`create table log_node (
    level integer not null, "index" bigint not null, hash ${bytes} not null,
    constraint log_node_key primary key (level, "index")
  ) ${byKey}`.execute(db)
  await sql`create table log_head (
    id integer not null primary key, size bigint not null, "seenAt" bigint, broken text
  )`.execute(db)
  await sql`create table log_checkpoint (
    id integer not null primary key, origin text not null, size bigint not null, root text not null,
    note text not null, at bigint not null
  )`.execute(db)
  await sql`create table witnessed_log (
    origin text not null primary key, size bigint not null, root text not null, at bigint not null
  )`.execute(db)

  // The first entry says that history follows.
  await sql`
    insert into log_outbox (at, kind)
    select 0, 'began' where exists (select 1 from decision) or exists (select 1 from board_total)`.execute(db)
  // A past day keeps its totals while a listing is hidden, so the listing says whether it has its place.
  await sql`
    insert into log_outbox (at, kind, board, "listingId", "changeCents", "totalCents", "reachedAt", shown)
    select total."reachedAt", 'counted', total.board, total."listingId", total."totalCents", total."totalCents",
      total."reachedAt", case when listing."hiddenAt" is null then 1 else 0 end
    from board_total as total join listing on listing.id = total."listingId"
    order by total."reachedAt", total.board, total."destinationKey"`.execute(db)
  await sql`
    insert into log_outbox (at, kind, board, "listingId", extra)
    select draw.at, 'drawn', draw.day, drawn."listingId", '{"place":' || drawn.place || '}'
    from drawn_listing as drawn join draw on draw.day = drawn.day order by draw.day, drawn.place`.execute(db)

  await sql`alter table decision add column salt text`.execute(db)
  await sql`update decision set position = null where position is not null`.execute(db)
  // Decisions are counted when they get their index.
  await sql`delete from decision_count`.execute(db)
  await sql`drop table decision_chain`.execute(db)

  // Seeds of earlier draws are hashes of the chain, which is gone.
  await sql`alter table draw add column "logSize" bigint`.execute(db)
  await sql`alter table draw drop column "chainPosition"`.execute(db)
}

/** When the public side of a listing last changed, so that mirrors can ask for what changed since a time. */
async function listingUpdates(db: Kysely<unknown>): Promise<void> {
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

/** A witness shows what it cosigned, with the signatures. */
async function witnessedNotes(db: Kysely<unknown>): Promise<void> {
  await sql`alter table witnessed_log add column note text not null default ''`.execute(db)
}

/** Finds the entries of the public log about a listing. Most entries of other kinds have none. */
async function rowsOfListings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const listing =
    engine === 'postgres'
      ? sql`(substring(entry from '"listing":([0-9]+)')::bigint)`
      : sql`json_extract(entry, '$.listing')`
  await sql`create index log_entry_of_listing on log_entry (${listing}, position) where ${listing} is not null`.execute(
    db,
  )
}

/** Roles of operators in the console, invitations, passkeys, and the challenges that passkeys sign. */
async function consoleUsers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`alter table console_operator add column role text default 'admin' not null`.execute(db)
  for (const table of ['console_operator', 'console_link']) {
    await sql`alter table ${sql.table(table)} add column "invitedBy" text`.execute(db)
  }
  await sql`alter table console_link add column role text`.execute(db)
  await sql`create table console_passkey (
    id text not null primary key, name text not null references console_operator (name) on delete cascade,
    label text not null, "publicKey" text not null, counter bigint not null,
    "addedAt" bigint not null, "usedAt" bigint
  ) ${byKey}`.execute(db)
  await sql`create index console_passkey_of on console_passkey (name)`.execute(db)
  await sql`create table console_challenge (hash text not null primary key, "endsAt" bigint not null) ${byKey}`.execute(
    db,
  )
  await sql`create index console_challenge_end on console_challenge ("endsAt")`.execute(db)
}

/** When a job last succeeded, which a failure must not hide: the age of the last backup follows from it. */
async function jobSuccesses(db: Kysely<unknown>): Promise<void> {
  await sql`alter table job add column "succeededAt" bigint`.execute(db)
}

/** Pictures whose bytes are in object storage, and objects there that no row names. */
async function picturesInStorage(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`alter table picture add column "objectName" text`.execute(db)
  await sql`create table unused_object (
    name text not null primary key, "tryAt" bigint not null
  ) ${typesOf(engine).byKey}`.execute(db)
  await sql`create index unused_object_due on unused_object ("tryAt")`.execute(db)
}

/** Finds the listings that were restored since a moment. */
async function restorings(db: Kysely<unknown>): Promise<void> {
  await sql`create index decision_restores on decision (at) where kind = 'restore'`.execute(db)
}

/** Letters that are folded otherwise now: the entries of listings that have one are out of date. */
const foldedOtherwise = (letters: string) => async (db: Kysely<unknown>, engine: Engine) => {
  const hasLetter =
    engine === 'postgres'
      ? sql`"searchText" ~ ${sql.lit(`[${letters}]`)}`
      : sql`"searchText" glob ${sql.lit(`*[${letters}]*`)}`
  await sql`
    insert into search_stale ("listingId") select id from listing where ${hasLetter} on conflict do nothing`.execute(db)
}

export const UNRELEASED: Migrations = {
  // An older version would change boards without an entry in the log.
  '0025': { up: publicLog, contracts: { schema: '0025', version: '0.3.0' }, visits: ['board_total', 'decision'] },
  '0026': { up: listingUpdates, visits: ['listing'] },
  '0027': { up: witnessedNotes },
  '0028': { up: rowsOfListings, visits: ['log_entry'] },
  '0029': { up: consoleUsers },
  '0030': { up: jobSuccesses },
  '0031': { up: picturesInStorage },
  '0032': { up: restorings, visits: ['decision'] },
  // The points of Hebrew and Arabic no longer count, and C♯ is C#.
  '0033': { up: foldedOtherwise('♯\u0591-\u06ff'), visits: ['listing'] },
  // Hiragana is katakana.
  '0034': { up: foldedOtherwise('\u3041-\u309f'), visits: ['listing'] },
}
