import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { nodesOf, type Place } from '../server/dist/domain/boards/rank.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { utcDay } from '../server/dist/platform/lib/time.js'

/** A database in a folder, with paid destinations on the board `all`. */
export interface FilledBoard {
  dataDir: string
  destinations: number
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const ROWS_AT_ONCE = 100

/**
 * Makes a database like the one a year of payments leaves: totals spread evenly over the orders of magnitude from 5 to
 * 999,999 dollars, so that thousands at the low end have paid the same.
 */
export async function fillBoard(dataDir: string, destinations: number): Promise<FilledBoard> {
  const places = placesOf(destinations)
  await fillStore(dataDir, db => {
    insertAll(db, LISTING, listings(places))
    insertPlaces(db, places)
  })
  return { dataDir, destinations }
}

/** Fills a store in one transaction. */
export async function fillStore(dataDir: string, fill: (db: Sqlite.Database) => void): Promise<void> {
  await (await openStore({ databaseUrl: undefined, dataDir })).close()
  const db = new Sqlite(join(dataDir, 'placard.db'))
  // Nothing reads it before it is complete, so nothing needs to be safe.
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -1000000']) db.pragma(pragma)
  db.transaction(() => fill(db))()
  db.close()
  // The next commit indexes for search what was listed; otherwise it would be one that is measured.
  const store = await openStore({ databaseUrl: undefined, dataDir })
  await store.transact(async () => {})
  await store.close()
}

/** Puts the first listings on the board `all`, one per place. */
export function insertPlaces(db: Sqlite.Database, places: readonly Place[]): void {
  withoutOrder(db, () => {
    insertAll(db, TOTAL, totals('all', places))
    insertAll(db, COUNT, counts('all', places))
  })
}

/** Also puts the destinations of a filled board on the boards of the days they were paid on. */
export async function fillDays({ dataDir }: FilledBoard): Promise<void> {
  await fillStore(dataDir, db => {
    const all = db.prepare(`select listingId - 1 as 'index', totalCents as totalCents, reachedAt as reachedAt
      from board_total where board = 'all' order by destinationKey`)
    const days = Map.groupBy(all.all() as NumberedPlace[], ({ reachedAt }) => utcDay(reachedAt))
    const inOrder = [...days].sort(([one], [other]) => (one < other ? -1 : 1))
    withoutOrder(db, () => {
      for (const [day, places] of inOrder) {
        insertAll(db, TOTAL, totals(day, places))
        insertAll(db, COUNT, counts(day, places))
      }
    })
  })
}

/** Puts all destinations of a filled board on the board of one day, with the totals they have. */
export async function fillDay({ dataDir }: FilledBoard, day: string): Promise<void> {
  await fillStore(dataDir, db => {
    const all = db.prepare(`select listingId - 1 as 'index', totalCents as totalCents, reachedAt as reachedAt
      from board_total where board = 'all' order by destinationKey`)
    const places = all.all() as NumberedPlace[]
    withoutOrder(db, () => insertAll(db, TOTAL, totals(day, places)))
  })
}

/** Makes the indexes of the boards' order at the end, which is much faster than keeping them in order. */
function withoutOrder(db: Sqlite.Database, fill: () => void): void {
  const indexes = ['board_total_order', 'board_total_of_category'].map(name => ({
    name,
    made: db.prepare('select sql from sqlite_master where name = ?').pluck().get(name),
  }))
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  fill()
  for (const { made } of indexes) db.exec(`${made}`)
}

/** A place with the index of its listing, if that differs from its position in the list. */
type NumberedPlace = Place & { index?: number }

/** Of all listings: a board of a category can be no larger. */
const CATEGORY = 'Games'

const TOTAL = 'board_total (board, destinationKey, totalCents, reachedAt, shown, listingId, category)'
const COUNT = 'board_count (board, level, amount, time, destinations)'

export type Row = (string | number | null)[]

const LISTING =
  'listing (slug, destinationKey, url, hostname, category, title, description, siteName, language, publishedAt)'

function* listings(places: readonly Place[]): Generator<Row> {
  for (const [index, { reachedAt }] of places.entries()) {
    const name = nameOf(index)
    const site = [`${name}-com`, keyOf(index), `https://${name}.com/`, `${name}.com`]
    yield [...site, CATEGORY, `The page of ${name}`, 'A page of the benchmark.', '', 'en', reachedAt]
  }
}

function* totals(board: string, places: readonly NumberedPlace[]): Generator<Row> {
  for (const [at, { totalCents, reachedAt, index = at }] of places.entries()) {
    yield [board, keyOf(index), totalCents, reachedAt, 1, index + 1, board === 'all' ? CATEGORY : '']
  }
}

/** In key order, since random inserts into a large table take several times as long. */
function* counts(board: string, places: readonly Place[]): Generator<Row> {
  const inOrder = [...places].sort((a, b) => a.totalCents - b.totalCents || a.reachedAt - b.reachedAt)
  for (const [index, { level }] of nodesOf({ totalCents: 0, reachedAt: 0 }).entries()) {
    let node: { amount: number; time: number } | undefined
    let destinations = 0
    for (const place of inOrder) {
      const next = nodesOf(place)[index]
      if (node && next && node.amount === next.amount && node.time === next.time) {
        destinations++
        continue
      }
      if (node) yield [board, level, node.amount, node.time, destinations]
      node = next
      destinations = 1
    }
    if (node) yield [board, level, node.amount, node.time, destinations]
  }
}

/** All of equal length, so that a large board sends no longer names than a small one. */
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

/** Random numbers from 0 to 1, the same in every run (mulberry32). */
export function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
