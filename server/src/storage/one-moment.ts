import { sql } from 'kysely'
import type { Db, Store } from './store.ts'

/** Runs reads that all see the database as of the first one, and hold up nobody. */
export function readOneMoment<T>({ db, engine }: Store, work: (db: Db) => Promise<T>): Promise<T> {
  if (engine === 'postgres') {
    return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
  }
  return db.connection().execute(async connection => {
    // Deferred, unlike transactions that write, so it takes no lock from them.
    await sql`begin`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}
