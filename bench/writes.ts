import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { randomFrom } from '../examples/seed/random.ts'
import { applyEvent } from '../server/dist/domain/payments/apply-event.js'
import { type ProcessorEvent, readStripeEvent } from '../server/dist/domain/payments/stripe-events.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { type Filled, hostAt } from './fill.ts'
import { heading, inTurns, load, median, noise, ratios, report, type Wanted } from './measure.ts'
import { openCheckouts } from './payments.ts'
import { startHelper } from './programs.ts'
import { publish, WIDE_ENV } from './requests.ts'

const TRANSACTIONS = 320

/** The cost of accepting a publish whose page is already read. */
export async function publishFigures(folder: string): Promise<void> {
  heading('Accepting a publish as a multiple of a bare transaction of three inserts, synchronous=FULL')
  const service = await startHelper('stub-fetch', { ...WIDE_ENV, DATA_DIR: folder })
  let count = 0
  const request = () => publish(`http://${hostAt(++count)}`)
  const micros = async () => 1e6 / (await load({ service, request, status: 201 })).perSecond
  try {
    await compareWithInserts('publish', micros, { folder, tables: ['a', 'b', 'c'], wanted: { atMost: 2 } })
  } finally {
    await service.stop()
  }
}

/** The cost of applying a payment: the event, the payment, two boards with their counts, and the listing's end. */
export async function eventFigures(boards: readonly Filled[]): Promise<void> {
  heading('Applying the event of a new payment as a multiple of a bare insert, synchronous=FULL')
  for (const { dataDir, count } of boards) {
    const store = await openStore({ databaseUrl: undefined, dataDir })
    const random = randomFrom('payments').next
    const micros = async () => {
      const events = await newPayments(store, count, random)
      const startedAt = performance.now()
      for (const event of events) await applyEvent(store, event, Date.now())
      return ((performance.now() - startedAt) * 1000) / events.length
    }
    const name = `with ${count.toLocaleString('en')} paid listings`
    await compareWithInserts(name, micros, { folder: dataDir, tables: ['a'], wanted: { atMost: 3 } })
    await store.close()
  }
}

/** Events of payments for listings that are on the board. */
async function newPayments(store: Store, listings: number, random: () => number): Promise<ProcessorEvent[]> {
  const order = () => ({ host: hostAt(Math.floor(random() * listings)), dollars: Math.floor(5 * 1000 ** random()) })
  const events = await openCheckouts(store, Array.from({ length: TRANSACTIONS }, order))
  return events.flatMap(({ created, data, ...event }) => {
    const about = { ...event, occurredAt: created * 1000, object: data.object }
    return readStripeEvent(about, 'stripe') ?? []
  })
}

interface Bare {
  folder: string
  tables: readonly string[]
  wanted: Wanted
}

/** Compares the microseconds of some work with those of bare transactions that insert a row into each table. */
async function compareWithInserts(name: string, micros: () => Promise<number>, { folder, tables, wanted }: Bare) {
  const text = 'x'.repeat(64)
  const bareMicros = () => {
    // A new file each time: SQLite syncs a log that grows more slowly than one that it overwrites.
    const db = new Sqlite(join(folder, `bare-${randomUUID()}.db`))
    for (const pragma of ['journal_mode = WAL', 'synchronous = FULL']) db.pragma(pragma)
    for (const table of tables) db.exec(`create table ${table} (id text primary key, one, two, three)`)
    const inserts = tables.map(table => db.prepare(`insert into ${table} values (?, ?, ?, ?)`))
    const transaction = db.transaction((nth: number) => {
      for (const insert of inserts) insert.run(`row-${nth}`, text, text, text)
    })
    const startedAt = performance.now()
    for (let nth = 0; nth < TRANSACTIONS; nth++) transaction.immediate(nth)
    const elapsedMs = performance.now() - startedAt
    db.close()
    return (elapsedMs * 1000) / TRANSACTIONS
  }
  await micros()
  const [ours, bare] = await inTurns(micros, bareMicros)
  report(name, ratios(ours, bare), wanted)
  console.log(`    ${median(ours).toFixed(0)} µs  against  ${median(bare).toFixed(0)} µs; ${noise(bare)}`)
}
