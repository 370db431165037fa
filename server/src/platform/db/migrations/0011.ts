import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { typesOf } from './types.ts'

/** Leases on background jobs. */
export async function jobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table job (
    name text not null primary key, holder text, "heldUntil" bigint, fence bigint default 0 not null,
    "startedAt" bigint, "endedAt" bigint, "nextAt" bigint, failures integer default 0 not null,
    "failedAt" bigint, error text
  ) ${byKey}`.execute(db)
}
