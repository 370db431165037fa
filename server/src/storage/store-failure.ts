/** What the two drivers say when the database, and not the question, is at fault. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

/**
 * Whether an error means that the store could not do its work: locked, full, gone, restarting. A statement the database
 * does not understand is no such failure but a fault of ours.
 */
export function isStoreFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', name, message } = error as NodeJS.ErrnoException
  if (name === 'SqliteError') return code !== 'SQLITE_ERROR'
  if (name === 'AggregateError' || /^E[A-Z]+$/.test(code)) return true
  if (isStoreBusy(error)) return true
  // PostgreSQL's classes 08 (connection), 28 (login), 3D (no such database), 53 (resources), 57 (stopped), 58 (system).
  return CONNECTION_LOST.test(message) || /^(08|28|3D|53|57|58)[0-9A-Z]{3}$/.test(code)
}

/** Whether an error means that others held a lock for too long, and nothing is broken. */
export function isStoreBusy(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  return code.startsWith('SQLITE_BUSY') || code === LOCK_NOT_AVAILABLE
}

/** What PostgreSQL says when the wait for a lock is over. */
const LOCK_NOT_AVAILABLE = '55P03'
