import { mkdtempSync, rmSync, createReadStream, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillListings } from './fill-listings.ts'
import { startPostgres } from './postgres.ts'
import { openStore } from '../server/dist/storage/open.js'
import { readOneMoment } from '../server/dist/storage/one-moment.js'
import { exportText, headerOf } from '../server/dist/moving/write-export.js'
import { readExport } from '../server/dist/moving/read-export.js'
import { importInto } from '../server/dist/moving/import-store.js'
const dir = mkdtempSync(join(tmpdir(), 'mv-'))
const N = Number(process.argv[2] ?? 20000)
await fillListings(join(dir, 'a'), N)
async function exp(settings: any, file: string) {
  const store = await openStore({ ...settings, patient: true })
  const t = performance.now()
  let rows = 0
  const parts: string[] = []
  await readOneMoment(store, async db => {
    const h = await headerOf(db, store.engine, Date.now())
    rows = h.tables.reduce((s, e) => s + e.rows, 0)
    for await (const text of exportText(db, store.engine, h)) parts.push(text)
  })
  const s = (performance.now() - t) / 1000
  writeFileSync(file, parts.join(''))
  console.log('export', store.engine, rows, s.toFixed(2), Math.round(rows / s))
  await store.close()
}
async function imp(settings: any, file: string) {
  const t = performance.now()
  const c = process.cpuUsage()
  const r = await importInto(settings, await readExport(createReadStream(file)), Date.now())
  const s = (performance.now() - t) / 1000
  const u = process.cpuUsage(c)
  console.log('import', settings.databaseUrl ? 'pg' : 'sqlite', r.rows, s.toFixed(2), Math.round(r.rows / s), 'cpu', (u.user + u.system) / 1e6, r.reconciled.differences.slice(0, 2))
}
const f = join(dir, 'x.jsonl')
await exp({ dataDir: join(dir, 'a'), databaseUrl: undefined }, f)
await imp({ dataDir: join(dir, 'b'), databaseUrl: undefined, serviceKeys: undefined }, f)
const pg = await startPostgres()
const { DATABASE_URL } = await pg.database('mv')
await imp({ dataDir: join(dir, 'c'), databaseUrl: DATABASE_URL, serviceKeys: undefined }, f)
await exp({ dataDir: join(dir, 'c'), databaseUrl: DATABASE_URL }, f)
await imp({ dataDir: join(dir, 'd'), databaseUrl: undefined, serviceKeys: undefined }, f)
await pg.stop()
rmSync(dir, { recursive: true })
