import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Runs bare transactions of three inserts with `synchronous=FULL`, in one process. @returns transactions per second */
export const bareTransactions = (folder: string, count: number): number =>
  1_000_000 / insertMicros(folder, ['a', 'b', 'c'], count)

/** Runs bare transactions of one insert with `synchronous=FULL`, one after another. @returns microseconds for each */
export const bareInserts = (folder: string, count: number): number => insertMicros(folder, ['a'], count)

function insertMicros(folder: string, tables: readonly string[], count: number): number {
  const db = new Sqlite(join(folder, `bare-${process.hrtime.bigint()}.db`))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  for (const table of tables) {
    db.exec(`create table ${table} (id text primary key, one text, two text, three text, at integer)`)
  }
  const inserts = tables.map(table => db.prepare(`insert into ${table} values (?, ?, ?, ?, ?)`))
  const transaction = db.transaction((index: number) => {
    for (const insert of inserts)
      insert.run(`row-${index}`, 'x'.repeat(64), 'y'.repeat(64), 'z'.repeat(64), index)
  })
  const startedAt = performance.now()
  for (let index = 0; index < count; index++) transaction.immediate(index)
  const micros = ((performance.now() - startedAt) * 1000) / count
  db.close()
  return micros
}
