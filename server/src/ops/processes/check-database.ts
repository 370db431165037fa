/** A thread that checks an SQLite file for damage, which takes seconds if the file is large. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

const database = new Sqlite(workerData as string, { readonly: true })
try {
  parentPort?.postMessage(database.pragma('quick_check(1)', { simple: true }))
} finally {
  database.close()
}
