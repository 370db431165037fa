import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Requests for a customer's approval in a browser, and which listings have such an approval. */
export async function approvals(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`create table approval (
    "codeHash" text not null primary key,
    destination text not null, "destinationKey" text not null, category text not null,
    agent text not null, preview text, state text not null,
    "createdAt" bigint not null, "expiresAt" bigint not null, "answeredAt" bigint, "idempotencyKey" text
  ) ${typesOf(engine).byKey}`.execute(db)
  await sql`create index approval_age on approval ("createdAt")`.execute(db)
  await sql`alter table claim add column approval text`.execute(db)
}
