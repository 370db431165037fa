import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { importInto } from '../server/dist/ops/backup/import.js'
import { readExport } from '../server/dist/ops/backup/read-export.js'
import { exportText, headerOf } from '../server/dist/ops/backup/write-export.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { readOneMoment } from '../server/dist/platform/db/store.js'
import { heading } from './compare.ts'
import { fillListings } from './fill-listings.ts'
import { startPostgres } from './postgres.ts'

const LISTINGS = 40_000

interface At {
  dataDir: string
  databaseUrl: string | undefined
}

/** How many rows a second are exported and imported, on each engine. By CPU time of this process, and by the clock. */
export async function movingFigures(folder: string): Promise<void> {
  heading(
    `Moving a board of ${LISTINGS} listings with their submissions, claims, decisions and days of traffic`,
  )
  const dataDir = join(folder, 'filled')
  await fillListings(dataDir, LISTINGS)
  addRest(join(dataDir, 'placard.db'))
  const postgres = await startPostgres()
  try {
    const { DATABASE_URL: databaseUrl } = await postgres.database('moving')
    const file = join(folder, 'board.jsonl')
    await exportFrom({ dataDir, databaseUrl: undefined }, file)
    await importFrom(file, { dataDir: join(folder, 'sqlite'), databaseUrl: undefined })
    const onPostgres = { dataDir: join(folder, 'postgres'), databaseUrl }
    await importFrom(file, onPostgres)
    await exportFrom(onPostgres, join(folder, 'again.jsonl'))
  } finally {
    await postgres.stop()
  }
}

async function exportFrom(at: At, file: string): Promise<void> {
  const store = await openStore({ ...at, patient: true })
  await timed(`export from ${store.engine}`, () =>
    readOneMoment(store, async db => {
      const header = await headerOf(db, store.engine, Date.now())
      await writeFile(file, exportText(db, store.engine, header))
      return header.tables.reduce((sum, { rows }) => sum + rows, 0)
    }),
  )
  await store.close()
}

const importFrom = (file: string, at: At) =>
  timed(`import into ${at.databaseUrl ? 'postgres' : 'sqlite'}`, async () => {
    const exported = await readExport(createReadStream(file))
    return (await importInto({ ...at, serviceKeys: undefined }, exported, Date.now())).rows
  })

async function timed(what: string, work: () => Promise<number>): Promise<void> {
  const cpu = process.cpuUsage()
  const begunAt = performance.now()
  const rows = await work()
  const seconds = (performance.now() - begunAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const rate = (over: number) => Math.round(rows / over).toLocaleString('en')
  console.log(
    `${what.padEnd(22)} ${rows} rows in ${seconds.toFixed(1)} s: ${rate(seconds)} a second, ${rate((user + system) / 1e6)} by CPU time`,
  )
}

/** What a publish writes beside a listing, and some days of its traffic. */
function addRest(file: string): void {
  const db = new Sqlite(file)
  db.exec(`
    insert into attempt (requestId, idempotencyKey, secretHash, fingerprint, hostname, clientHash, day, nthOfDay,
        nthOfClient, nthOfHostname, state, createdAt, settledAt)
      select 'request-' || id, 'key-' || id, lower(hex(randomblob(32))), lower(hex(randomblob(32))), hostname, '',
        '2026-01-01', id, id, id, 'published', publishedAt, publishedAt from listing;
    insert into claim (id, listingId, requestId, approvalScope, rulesVersion, approvedAt, destinationAsSent, linkVersion,
        ownerTokenHash)
      select 'claim-' || id, id, 'request-' || id, 'free_listing_publish', '2026-09-06', publishedAt, url, 1,
        lower(hex(randomblob(32))) from listing;
    insert into decision (id, kind, listingId, requestId, ground, reason, facts, factsHash, actor, at, position)
      select 'request-' || id, 'accept', id, 'request-' || id, 'rules/review@1', 'passed_review', '{}',
        lower(hex(randomblob(32))), 'automatic', publishedAt, id from listing;
    insert into decision_chain (position, decisionId, hash)
      select id, 'request-' || id, lower(hex(randomblob(32))) from listing;
    insert into listing_day (listingId, day, views, clicks)
      select listing.id, '2026-01-0' || json_each.value, listing.id % 90, listing.id % 7 from listing, json_each('[1, 2, 3]');
  `)
  db.close()
}
