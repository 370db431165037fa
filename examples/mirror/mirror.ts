// Copies a Placard site into a SQLite file, and brings the copy up to date when it runs again. Node 24, no packages:
//   node mirror.ts https://placard.example.org mirror.db
import { DatabaseSync } from 'node:sqlite'

const [address, file, ...others] = process.argv.slice(2)
if (!address || !file || others.length > 0) fail('Usage: node mirror.ts SITE FILE')
const site = address.replace(/\/$/, '')

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}

// One line is enough for what the next run can heal.
process.on('uncaughtException', (error: Error & { code?: string }) => {
  const why = error.message === 'database is locked' ? 'another program is using it' : error.message
  if (error.code === 'ERR_SQLITE_ERROR') fail(`${file} can't be written: ${why}. Run this again later.`)
  // Of fetch.
  if (error.cause instanceof Error) fail(`${site} can't be read: ${error.cause.message || why}. Run this again.`)
  throw error
})

async function get(path: string): Promise<Response & { body: ReadableStream<Uint8Array> }> {
  const response = await fetch(site + path)
  if (!response.ok || !response.body)
    fail(`${site} can't be read: ${path} answered ${response.status}. Run this again.`)
  return response as Response & { body: ReadableStream<Uint8Array> }
}

async function* lines(path: string) {
  let rest = ''
  for await (const text of (await get(path)).body.pipeThrough(new TextDecoderStream())) {
    const whole = (rest + text).split('\n')
    rest = whole.pop() ?? ''
    yield* whole
  }
}

async function* places(board: string) {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await (await get(`/api/v1/boards/${board}?limit=100${cursor && `&cursor=${cursor}`}`)).json()
    yield* page.entries
    cursor = page.nextCursor
  }
}

const db = new DatabaseSync(file, { timeout: 5000 })
db.exec(`
  create table if not exists listing (id integer primary key, expiresAt integer, json text not null);
  create table if not exists place (board text, rank integer, id integer, totalCents integer, reachedAt integer);
  create table if not exists state (site text, updatedSince integer, license text);
  begin immediate`)
// Everything below is one transaction: if this process is killed, the copy stays as it was.
const last = db.prepare('select site, updatedSince from state').get()
if (!last) db.exec('delete from listing')
const put = db.prepare('insert or replace into listing values (?, ?, ?)')
const remove = db.prepare('delete from listing where id = ?')
let head: { site: string; asOf: number; license: string | null } | undefined
let end: { complete: true; updatedSince: number } | undefined
for await (const line of lines(`/api/v1/listings.ndjson${last ? `?updatedSince=${last.updatedSince}` : ''}`)) {
  const row = JSON.parse(line)
  if (head === undefined) {
    head = row
    if (last && last.site !== row.site)
      fail(`${file} is a copy of ${last.site}, not of ${row.site}. Name another file.`)
  } else if (row.complete) end = row
  else if (row.status === 'published') put.run(row.id, row.expiresAt, line)
  else remove.run(row.id)
}
if (!head || !end) fail('The stream was cut. Run this again.')
db.prepare('delete from listing where expiresAt <= ?').run(head.asOf)
db.exec('delete from place; delete from state')
const rank = db.prepare('insert into place values (?, ?, ?, ?, ?)')
for (const board of ['all', 'today']) {
  for await (const each of places(board)) rank.run(board, each.rank, each.id, each.totalCents, each.reachedAt)
}
db.prepare('insert into state values (?, ?, ?)').run(head.site, end.updatedSince, head.license)
db.exec('commit')
