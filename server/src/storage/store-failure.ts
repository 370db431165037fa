import { DatabaseFileLost } from './open-files.ts'

/** What the two drivers say when the database, and not the question, is at fault. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

/** How SQLite says that a fault has ended the transaction before its time. */
const BROKEN = /^(no such savepoint|cannot (commit|rollback|start a transaction))/

/**
 * What PostgreSQL says, by class: 08 connection, 28 login, 3D no such database, 40 transaction undone, 53 resources (a
 * full disk), 55 not now, 57 stopped, 58 system, F0 and XX the server itself; and single ones: idle for too long in a
 * transaction, a server that takes no writes, no right to write.
 */
const POSTGRES_FAILURE = /^((08|28|3D|40|53|55|57|58|F0|XX)[0-9A-Z]{3}|25P03|25006|42501)$/

/**
 * Whether an error means that the store could not do its work: locked, full, read-only, gone, restarting. A statement the
 * database does not understand is no such failure but a fault of ours.
 */
export function isStoreFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', name, message } = error as NodeJS.ErrnoException
  if (name === 'SqliteError') return code !== 'SQLITE_ERROR' || BROKEN.test(message)
  if (error instanceof DatabaseFileLost || name === 'AggregateError' || /^E[A-Z]+$/.test(code)) return true
  return CONNECTION_LOST.test(message) || POSTGRES_FAILURE.test(code)
}

/** Whether an error means that others held a lock for too long, and nothing is broken. */
export function isStoreBusy(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  return code.startsWith('SQLITE_BUSY') || code === LOCK_NOT_AVAILABLE
}

/** What PostgreSQL says when the wait for a lock is over. */
const LOCK_NOT_AVAILABLE = '55P03'
