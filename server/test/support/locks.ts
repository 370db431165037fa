import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../../src/platform/db/store.ts'

/**
 * Resolves once so many statements wait for a row or a table of this database of PostgreSQL. Advisory locks don't count:
 * jobs wait for each other by them.
 */
export async function untilWaiting({ db }: Pick<Store, 'db'>, count = 1): Promise<void> {
  const waiting = sql`select pid from pg_stat_activity
    where wait_event_type = 'Lock' and wait_event <> 'advisory' and datname = current_database()`
  while ((await waiting.execute(db)).rows.length < count) await sleep(10)
}
