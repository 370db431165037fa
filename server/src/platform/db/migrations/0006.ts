import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Decisions as records, which replace the audit log, and appeals. */
export async function decisions(db: Kysely<unknown>, engine: Engine): Promise<void> {
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
