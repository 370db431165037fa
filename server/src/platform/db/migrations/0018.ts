import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** Proofs of the derived records: the boards' counts, the places taken, and the chain of decisions. */
export async function provenRecords(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`alter table board_change add column token text`.execute(db)
  await sql`alter table board_change add column "countsSum" bigint`.execute(db)
  await sql`alter table processor_event add column took text`.execute(db)
  await sql`alter table decision_chain add column "seenAt" bigint`.execute(db)
  await sql`alter table decision_chain add column "notBefore" bigint`.execute(db)

  // Existing counts get an initial change, so that a board without any change has lost them.
  const token = engine === 'postgres' ? sql`md5(random()::text)` : sql`lower(hex(randomblob(16)))`
  await sql`
    insert into board_change (version, moves, token, "countsSum")
    select (select coalesce(max(version), 0) + 1 from board_change), '[]', ${token}, (
      select cast(sum(destinations * (x * x % 2147483647)) % 2147483647 as bigint) from (
        select destinations, (
          case when board = 'all' then 0 else cast(replace(board, '-', '') as bigint) end * 1000003
          + amount * 7919 + 1) % 2147483647 as x
        from board_count where level = 3
      ) as counts
    ) where exists (select 1 from board_count where level = 3)`.execute(db)
}
