import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { nodesOf, type Place } from '../server/dist/placement/rank.js'
import { openStore } from '../server/dist/storage/open.js'

/** A database in a folder, with so many paid destinations on the board `all`. */
export interface FilledBoard {
  dataDir: string
  destinations: number
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const ROWS_AT_ONCE = 100

/**
 * Makes a database as a year of payments would leave it: totals spread evenly over the orders of magnitude from 5 to
 * 999,999 dollars, so that at the low end thousands have paid the same.
 */
export async function fillBoard(dataDir: string, destinations: number): Promise<FilledBoard> {
  const places = placesOf(destinations)
  await fillStore(dataDir, db => {
    insertAll(db, LISTING, listings(places))
    insertPlaces(db, places)
  })
  return { dataDir, destinations }
}

/** Fills an empty store in one transaction. */
export async function fillStore(dataDir: string, fill: (db: Sqlite.Database) => void): Promise<void> {
  await (await openStore({ databaseUrl: undefined, dataDir })).close()
  const db = new Sqlite(join(dataDir, 'placard.db'))
  // Nothing reads it before it is whole, so nothing need be safe.
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -1000000']) db.pragma(pragma)
  db.transaction(() => fill(db))()
  db.close()
}

/** Puts the first listings on the board `all`: as many as there are places. */
export function insertPlaces(db: Sqlite.Database, places: readonly Place[]): void {
  const order = db.prepare("select sql from sqlite_master where name = 'board_total_order'").pluck().get()
  db.exec('drop index board_total_order')
  insertAll(
    db,
    'board_total (board, destination_key, total_cents, reached_at, shown, listing_id)',
    totals(places),
  )
  insertAll(db, 'board_count (board, level, amount, time, destinations)', counts(places))
  // Made at the end, which is much faster than keeping it in order.
  db.exec(`${order}`)
}

export type Row = (string | number | null)[]

const LISTING =
  'listing (slug, destination_key, url, hostname, category, title, description, site_name, language, published_at)'

function* listings(places: readonly Place[]): Generator<Row> {
  for (const [index, { reachedAt }] of places.entries()) {
    const name = nameOf(index)
    const site = [`${name}-com`, keyOf(index), `https://${name}.com/`, `${name}.com`]
    yield [...site, 'Games', `The page of ${name}`, 'A page of the benchmark.', '', 'en', reachedAt]
  }
}

function* totals(places: readonly Place[]): Generator<Row> {
  for (const [index, { totalCents, reachedAt }] of places.entries()) {
    yield ['all', keyOf(index), totalCents, reachedAt, 1, index + 1]
  }
}

/** In the order of their key, since random inserts into a large table take several times as long. */
function* counts(places: readonly Place[]): Generator<Row> {
  const inOrder = [...places].sort((a, b) => a.totalCents - b.totalCents || a.reachedAt - b.reachedAt)
  for (const level of nodesOf({ totalCents: 0, reachedAt: 0 }).keys()) {
    let node: { amount: number; time: number } | undefined
    let destinations = 0
    for (const place of inOrder) {
      const next = nodesOf(place)[level]
      if (node && next && node.amount === next.amount && node.time === next.time) {
        destinations++
        continue
      }
      if (node) yield ['all', level, node.amount, node.time, destinations]
      node = next
      destinations = 1
    }
    if (node) yield ['all', level, node.amount, node.time, destinations]
  }
}

/** Of equal length, so that those of a large board are no longer to send than those of a small one. */
export const nameOf = (index: number) => `site-${String(index).padStart(7, '0')}`
export const keyOf = (index: number) => `2:${nameOf(index)}.com`

export function placesOf(destinations: number): Place[] {
  const random = randomNumbers()
  const now = Date.now()
  return Array.from({ length: destinations }, () => ({
    totalCents: 100 * Math.floor(5 * 200_000 ** random()),
    reachedAt: now - Math.floor(YEAR_MS * random()),
  }))
}

export function insertAll(db: Sqlite.Database, table: string, rows: Iterable<Row>): void {
  let statement: Sqlite.Statement | undefined
  let some: Row = []
  let width = 0
  for (const row of rows) {
    width = row.length
    some.push(...row)
    if (some.length < ROWS_AT_ONCE * width) continue
    statement ??= insertOf(db, table, ROWS_AT_ONCE, width)
    statement.run(some)
    some = []
  }
  if (some.length > 0) insertOf(db, table, some.length / width, width).run(some)
}

const insertOf = (db: Sqlite.Database, table: string, rows: number, width: number) =>
  db.prepare(`insert into ${table} values ${Array(rows).fill(`(${Array(width).fill('?')})`)}`)

/** Numbers from 0 to 1, the same in every run (mulberry32). */
export function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
