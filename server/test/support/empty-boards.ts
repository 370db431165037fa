import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/store.ts'

/** Takes everybody off the boards, past the code that keeps counts. A history that begins anew makes it count anew. */
export async function emptyBoards(db: Db): Promise<void> {
  await db.deleteFrom('board_total').execute()
  await db.deleteFrom('board_count').execute()
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0) + 1 as version from board_change`.execute(db)
  await db.deleteFrom('board_change').execute()
  await db
    .insertInto('board_change')
    .values({ version: Number(rows[0]?.version), moves: '[]', token: randomUUID(), countsSum: 0 })
    .execute()
}
