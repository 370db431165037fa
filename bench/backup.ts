import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

// Copies a database that a service has open.

const [dataDir = '', to = ''] = process.argv.slice(2)
const copy = join(to, 'placard.db')
rmSync(copy, { force: true })
const database = new Sqlite(join(dataDir, 'placard.db'))
database.prepare('vacuum into ?').run(copy)
database.close()
