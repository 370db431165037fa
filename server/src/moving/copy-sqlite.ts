import { closeSync, fsyncSync, openSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { OPEN_TIMEOUT_MS } from '../storage/sqlite-reader.ts'

/**
 * Copies an SQLite database as of one moment, while others use it. Reads it through SQLite, and never otherwise
 * (`makeFile` says why); writers go on meanwhile. The copy is not in WAL mode until somebody opens it.
 *
 * @param to where there is no file yet
 */
export function copySqlite(from: string, to: string): void {
  const database = new Sqlite(from, { timeout: OPEN_TIMEOUT_MS, readonly: true })
  try {
    database.prepare('vacuum into ?').run(to)
  } finally {
    database.close()
  }
}

/** Makes a file, or the names in a folder, survive a power cut. Never for a database that is open. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** @throws Error in one line if SQLite finds the file damaged */
export function checkSqlite(path: string): void {
  const database = new Sqlite(path, { readonly: true })
  try {
    const found = database.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw new Error(`${path} is damaged: ${found}`)
  } finally {
    database.close()
  }
}
