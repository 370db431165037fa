import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Engine } from '../tables/index.ts'
import { type Migrations, NOT_BY_0_1_0, typesOf } from './types.ts'

/** Additions to search in 0.2.0. */
async function betterSearch(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Numbers, emoji and names such as C++ have become words, so the entries of every listing are out of date.
  await sql`create table search_stale (
    "listingId" bigint not null primary key references listing (id) on delete cascade
  )`.execute(db)
  await sql`insert into search_stale ("listingId") select id from listing`.execute(db)
  if (engine === 'sqlite') await indexOncePerCommit(db)
}

/** New listings and words are only recorded here: `sqlite-group-commit.ts` indexes those of a commit together. */
async function indexOncePerCommit(db: Kysely<unknown>): Promise<void> {
  await sql`create table listing_search_due (id integer primary key)`.execute(db)
  await sql`create table search_word_due (id integer primary key)`.execute(db)

  // A listing that was removed within the commit may still be recorded, and its id reused.
  await sql`drop trigger listing_search_added`.execute(db)
  await sql`create trigger listing_search_added after insert on listing
    begin insert or ignore into listing_search_due (id) values (new.id); end`.execute(db)
  // A change within the same commit has already been indexed.
  await sql`create trigger listing_search_not_due
    after update of "searchText", "publishedAt", "expiresAt", "hiddenAt" on listing
    begin delete from listing_search_due where id = old.id; end`.execute(db)

  await sql`drop trigger search_word_added`.execute(db)
  await sql`create trigger search_word_added after insert on search_word
    begin insert into search_word_due (id) values (new.id); end`.execute(db)
}

/** Followed listings, and notices about them. */
async function notices(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** What clients did in the current window of a limit. Only instances that share a PostgreSQL use it. */
async function allowances(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const isPostgres = engine === 'postgres'
  // Losing its rows does no harm, so no commit waits for the disk.
  await sql`create ${sql.raw(isPostgres ? 'unlogged' : '')} table allowance_window (
    key text primary key, "endsAt" bigint not null, granted bigint not null, spare bigint not null
  ) ${sql.raw(isPostgres ? 'with (fillfactor = 50)' : '')}`.execute(db)
  await sql`create index allowance_window_end on allowance_window ("endsAt")`.execute(db)
}

/** Payments and publishes write less. */
async function fewerWrites(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId } = typesOf(engine)

  // The upper levels of the counts are computed in memory, which follows these changes.
  await sql`create table board_change (version ${rowId}, moves text not null)`.execute(db)
  // From now on, a count that reaches zero is deleted at once.
  await sql`drop index board_count_empty`.execute(db)
  await sql`delete from board_count where level < 3 or destinations = 0`.execute(db)

  // One index enforces a client's quota, and finds what is left to delete.
  await sql`drop index attempt_client_known`.execute(db)
  await sql`drop index attempt_of_client`.execute(db)
  await sql`
    create unique index attempt_of_client on attempt (day, "clientHash", "nthOfClient")
    where "clientHash" <> ''`.execute(db)
}

/** Decisions as records, which replace the audit log, and appeals. */
async function decisions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table decision (
    id text not null primary key, kind text not null, "listingId" bigint references listing (id),
    "requestId" text, "reportId" bigint, about text, ground text not null, reason text not null,
    facts text, "factsHash" text not null, actor text not null, at bigint not null, position bigint
  ) ${byKey}`.execute(db)
  await sql`create table decision_chain (
    position bigint not null primary key, "decisionId" text not null, hash text not null
  ) ${byKey}`.execute(db)
  await sql`create table decision_count (
    month text not null, kind text not null, reason text not null, decisions bigint not null,
    constraint decision_count_key primary key (month, kind, reason)
  ) ${byKey}`.execute(db)
  // These indexes contain a publication only until it is chained.
  await sql`create index decision_unchained on decision (id) where position is null`.execute(db)
  await sql`
    create index decision_of_listing on decision ("listingId", at, id) where kind <> 'accept'`.execute(db)
  await sql`create index decision_of_person on decision (actor) where actor <> 'automatic'`.execute(db)
  await sql`
    create index decision_acts on decision (id)
    where kind in ('hide', 'restore', 'refresh', 'category')`.execute(db)
  await sql`create unique index decision_about on decision (about, kind) where about is not null`.execute(db)
  await sql`
    create index decision_facts on decision (at)
    where facts is not null and kind in ('refuse', 'report', 'settle', 'appeal', 'outcome')`.execute(db)

  await sql`alter table attempt add column admits text`.execute(db)
  await sql`alter table attempt add column "decisionId" text`.execute(db)
  await sql`alter table report add column "decisionId" text`.execute(db)
  await sql`alter table report add column "keyHash" text`.execute(db)
  await sql`create unique index report_key on report ("keyHash") where "keyHash" is not null`.execute(db)

  await moveAuditEvents(db)
  await recordSettled(db)
  await sql`drop table audit_event`.execute(db)
}

interface AuditEvent {
  id: number
  listingId: number
  action: string
  actor: string
  reason: string
  at: number
}

const ROWS_AT_ONCE = 500

async function moveAuditEvents(db: Kysely<unknown>): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<AuditEvent>`
      select * from audit_event where id > ${after} order by id limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db)
    const last = rows.at(-1)
    if (!last) return
    const values = rows.map(({ id, listingId, action, actor, reason, at }) => {
      const { kind = action, ground, code } = ACTIONS[action] ?? { ground: 'owner@1', code: 'by_owner' }
      const facts = JSON.stringify({ explanation: reason })
      const by = actor === 'operator' ? 'operator:operator' : actor
      return sql`(${uuidv7({ msecs: at, seq: id })}, ${kind}, ${listingId}, ${ground}, ${code}, ${facts},
        ${hash('sha256', facts)}, ${by}, ${at})`
    })
    await sql`
      insert into decision (id, kind, "listingId", ground, reason, facts, "factsHash", actor, at)
      values ${sql.join(values)}`.execute(db)
    after = Number(last.id)
  }
}

const ACTIONS: Record<string, { kind?: string; ground: string; code: string }> = {
  hide: { ground: 'rules/content@1', code: 'policy' },
  restore: { ground: 'rules/operator@1', code: 'restored' },
  withdraw: { kind: 'hide', ground: 'owner@1', code: 'withdrawn' },
  settle_report: { kind: 'settle', ground: 'rules/reports@1', code: 'settled' },
}

/** Records submissions from before decisions existed. The attempt itself has everything that is known of them. */
async function recordSettled(db: Kysely<unknown>): Promise<void> {
  const facts = '{}'
  const values = (state: string) => sql`
    ${facts}, ${hash('sha256', facts)}, 'automatic', coalesce("settledAt", "createdAt")
    from attempt left join claim on claim."requestId" = attempt."requestId" where state = ${state}`
  const into = sql`
    insert into decision (id, kind, "listingId", "requestId", ground, reason, facts, "factsHash", actor, at)`
  await sql`${into} select attempt."requestId", 'accept', "listingId", attempt."requestId",
    'rules/review@1', 'passed_review', ${values('published')}`.execute(db)
  await sql`${into} select attempt."requestId", 'refuse', null, attempt."requestId",
    case when code = 'destination_already_listed' then 'rules/no-takeovers@1'
      when reason in ('adult_content', 'blocklisted', 'malicious', 'policy') then 'rules/content@1'
      else 'rules/review@1' end,
    coalesce(reason, code), ${values('rejected')}`.execute(db)
}

/** Snapshots of listed pages, their rechecks, and findings for the operator. */
async function continuity(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

export const FROM_0002: Migrations = {
  '0002': { up: betterSearch, visits: ['listing'] },
  '0003': { up: notices },
  '0004': { up: allowances },
  '0005': { up: fewerWrites, contracts: NOT_BY_0_1_0('0005'), visits: ['attempt', 'board_count'] },
  '0006': {
    up: decisions,
    contracts: NOT_BY_0_1_0('0006'),
    visits: ['attempt', 'audit_event', 'report'],
  },
  '0007': { up: continuity, visits: ['listing'] },
}
