import { type Kysely, sql } from 'kysely'

/** Webhooks of agents, one for each submission. */
export async function submissionWebhooks(db: Kysely<unknown>): Promise<void> {
  await sql`create table submission_webhook (
    "requestId" text not null primary key references attempt ("requestId") on delete cascade,
    url text not null, host text not null, nonce text not null, "keyCheckValue" text not null, cursor text not null,
    attempts integer default 0 not null, "dueAt" bigint, "failingSince" bigint,
    "offAt" bigint, "offBecause" text, "lastTriedAt" bigint, "lastStatus" bigint
  )`.execute(db)
  await sql`create index submission_webhook_due on submission_webhook ("dueAt") where "dueAt" is not null`.execute(db)
}
