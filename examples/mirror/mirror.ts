// Copies a Placard site into a SQLite file, and brings the copy up to date when it runs again. Node 24, no packages:
//   node mirror.ts https://placard.example.org mirror.db
import { DatabaseSync } from 'node:sqlite'

const [address = '', file = 'mirror.db'] = process.argv.slice(2)
const site = address.replace(/\/$/, '')

async function get(path: string): Promise<Response & { body: ReadableStream<Uint8Array> }> {
  const response = await fetch(site + path)
  if (!response.ok || !response.body) throw new Error(`${site}${path}: ${response.status} ${await response.text()}`)
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

const db = new DatabaseSync(file)
db.exec(`
  create table if not exists listing (id integer primary key, expiresAt integer, json text not null);
  create table if not exists place (board text, rank integer, id integer, totalCents integer, reachedAt integer);
  create table if not exists state (updatedSince integer, license text);
  begin immediate`)
// Everything below is one transaction: if this process is killed, the copy stays as it was.
const since = db.prepare('select updatedSince from state').get()?.updatedSince
if (since === undefined) db.exec('delete from listing')
const put = db.prepare('insert or replace into listing values (?, ?, ?)')
const remove = db.prepare('delete from listing where id = ?')
let head: { asOf: number; license: string | null } | undefined
let end: { complete: true; updatedSince: number } | undefined
for await (const line of lines(`/api/v1/listings.ndjson${since === undefined ? '' : `?updatedSince=${since}`}`)) {
  const row = JSON.parse(line)
  if (head === undefined) head = row
  else if (row.complete) end = row
  else if (row.status === 'published') put.run(row.id, row.expiresAt, line)
  else remove.run(row.id)
}
if (!head || !end) throw new Error('The stream was cut. Run this again.')
db.prepare('delete from listing where expiresAt <= ?').run(head.asOf)
db.exec('delete from place; delete from state')
const rank = db.prepare('insert into place values (?, ?, ?, ?, ?)')
for (const board of ['all', 'today']) {
  for await (const each of places(board)) rank.run(board, each.rank, each.id, each.totalCents, each.reachedAt)
}
db.prepare('insert into state values (?, ?)').run(end.updatedSince, head.license)
db.exec('commit')
