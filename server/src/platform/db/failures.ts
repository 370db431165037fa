import { DatabaseFileLost } from './sqlite-files.ts'
import { ReaderFailed } from './sqlite-read-thread.ts'

/** The drivers' messages for a fault of the database, not of the query. */
const CONNECTION_LOST = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

/** SQLite's messages after a fault has ended the transaction early. */
const BROKEN = /^(no such savepoint|cannot (commit|rollback|start a transaction))/

/**
 * PostgreSQL's codes by class: 08 connection, 28 login, 3D no such database, 40 transaction rolled back, 53 resources
 * (a full disk), 55 not now, 57 stopped, 58 system, F0 and XX the server itself. Single codes: idle too long in a
 * transaction, a read-only server, a prepared statement that is unknown or whose name is taken, no permission to write.
 */
const POSTGRES_FAILURE = /^((08|28|3D|40|53|55|57|58|F0|XX)[0-9A-Z]{3}|25P03|25006|26000|42P05|42501)$/

/**
 * Returns whether an error means that the database is not usable now: locked, full, read-only, gone, restarting. A
 * statement that the database rejects is our own fault, not such a failure.
 */
export function isStoreFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', name, message } = error as NodeJS.ErrnoException
  if (name === 'SqliteError') return code !== 'SQLITE_ERROR' || BROKEN.test(message)
  if (error instanceof DatabaseFileLost || error instanceof ReaderFailed) return true
  if (name === 'AggregateError' || /^E[A-Z]+$/.test(code)) return true
  return CONNECTION_LOST.test(message) || POSTGRES_FAILURE.test(code)
}

/**
 * Returns what to do if an error, or its cause, is about a file or disk that can't be used. It continues the message, and
 * is empty for other errors.
 */
export function diskAdvice(error: unknown): string {
  const { code = '', message = '', cause } = (error ?? {}) as NodeJS.ErrnoException
  // Some messages say so themselves.
  if (message.includes('the user ')) return ''
  if (/^(SQLITE_(READONLY|CANTOPEN)|EACCES|EROFS)/.test(code)) {
    return '. Let the user that runs Placard read and write there'
  }
  // On a full disk, SQLite calls it an I/O error that it gets no shared memory.
  if (/^(SQLITE_(FULL|IOERR)|ENOSPC)/.test(code)) return '. Make room on that disk, or replace it if it is faulty'
  return cause === undefined ? '' : diskAdvice(cause)
}

/** PostgreSQL's codes for damaged data and indexes. */
const POSTGRES_DAMAGE = /^XX00[12]$/

/** SQLite found damage during a check. */
export class DatabaseDamaged extends Error {
  constructor(found: string) {
    super(`the database is damaged: ${found}`)
    this.name = 'DatabaseDamaged'
  }
}

/** Returns whether an error of the database shows that its data is damaged. */
export function isDamage(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (error instanceof DatabaseDamaged) return true
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || POSTGRES_DAMAGE.test(code)
}

/** Returns whether an error only means that a lock was held too long. */
export function isStoreBusy(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  return code.startsWith('SQLITE_BUSY') || code === LOCK_NOT_AVAILABLE
}

/** PostgreSQL's code for a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03'
