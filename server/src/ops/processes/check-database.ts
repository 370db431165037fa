/** A thread that looks for damage in an SQLite file, which takes seconds where much is in it. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

const database = new Sqlite(workerData as string, { readonly: true })
try {
  parentPort?.postMessage(database.pragma('quick_check(1)', { simple: true }))
} finally {
  database.close()
}
