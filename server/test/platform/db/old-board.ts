import { readFileSync } from 'node:fs'
import type { PublishBody, Receipt } from '@placard/contract'
import { sql } from 'kysely'
import { addRows, columnsOf } from '../../../src/ops/backup/export-rows.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { migrateTo } from '../../../src/platform/db/migrate.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import type { Table } from '../../../src/platform/db/tables/index.ts'
import type { EmptyDatabase } from '../../support/engines.ts'
import { type Credentials, PUBLIC } from '../../support/service.ts'

/** What 0.1.0 answered to whoever repeated a submission. */
interface Replay {
  credentials: Credentials
  body: PublishBody
  status: number
  receipt: Partial<Receipt>
}

interface OldBoard {
  /** Settings that the board needs. */
  env: Env
  /** When it was last written, in Unix milliseconds. */
  now: number
  replays: Replay[]
}

type Line = { serviceKey: string; now: number } | { replay: Replay } | { table: string; row: object }

/**
 * Fills a database with a board that the release 0.1.0 made: every row of it, on the schema of then. Listings, a refusal,
 * payments, a report, and listings that were hidden.
 */
export async function loadBoardOf010(database: EmptyDatabase): Promise<OldBoard> {
  const text = readFileSync(new URL('board-0.1.0.jsonl', import.meta.url), 'utf8')
  const lines = text.trim().split('\n')
  const board: OldBoard = { env: {}, now: 0, replays: [] }
  const rows = new Map<string, object[]>()
  for (const line of lines.map(each => JSON.parse(each) as Line)) {
    if ('replay' in line) board.replays.push(line.replay)
    else if ('table' in line) rows.set(line.table, [...(rows.get(line.table) ?? []), line.row])
    else Object.assign(board, { now: line.now, env: { ...PUBLIC, BASE_URL, SERVICE_KEY: line.serviceKey } })
  }
  const store = openUnmigrated(configFrom(database.env))
  const { db, engine } = store
  await migrateTo(db, engine, '0001')
  for (const [name, all] of rows) {
    const table = name as Table
    await addRows(db, engine, {
      table,
      columns: await columnsOf(db, engine, table),
      json: JSON.stringify(all),
    })
    if (engine === 'postgres' && all.some(row => 'id' in row && typeof row.id === 'number')) {
      await sql`select setval(pg_get_serial_sequence(${name}, 'id'), (select max(id) from ${sql.table(name)}))`.execute(
        db,
      )
    }
  }
  await store.close()
  return board
}

/** The one in its receipts. */
const BASE_URL = 'http://127.0.0.1:8080'
