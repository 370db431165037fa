import type { DatabaseAddress, Snapshot } from './store.ts'

/**
 * Opens a snapshot for a read of many statements, such as a whole table in parts. All of them see the database as of
 * the first one. Close it soon: while it is open, SQLite's log grows, and PostgreSQL keeps rows that were replaced.
 */
export async function openSnapshot({ engine, at }: DatabaseAddress): Promise<Snapshot> {
  // Each driver is loaded only where it is used, because the thread that reads should be small.
  if (engine === 'postgres') return (await import('./postgres-snapshot.ts')).openPostgresSnapshot(at)
  return (await import('./sqlite-connection.ts')).openSqliteSnapshot(at)
}
