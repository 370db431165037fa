// @module-tag programs
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportText, headerOf } from '../../../src/ops/backup/export-file.ts'
import { hashOfBlock, sha256 } from '../../../src/ops/backup/export-format.ts'
import { pictureReader } from '../../../src/ops/backup/pictures.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { inTurn, migrateTo } from '../../../src/platform/db/migrate.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import type { Db, Store } from '../../../src/platform/db/store.ts'
import type { Table } from '../../../src/platform/db/tables/index.ts'
import { findUnfinishedImport } from '../../../src/platform/db/unfinished-import.ts'
import { startService } from '../../../src/start.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { ledgerOf, payFor } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import { run } from '../../support/process.ts'
import { NOON } from '../../support/service.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'

let source: EmptyDatabase
let folder: string
let whole: string
let ledger: Awaited<ReturnType<typeof ledgerOf>>

beforeAll(async () => {
  source = await migratedDatabase('sqlite')
  folder = mkdtempSync(join(tmpdir(), 'placard-import-'))
  whole = join(folder, 'whole.jsonl')
  const store = await source.openStore()
  for (const [index, host] of ['a.com', 'b.com', 'c.com'].entries()) {
    await payFor(store, host, `pi_${host}`, { amountCents: 2500 * (index + 1) })
  }
  const picture = { state: 'stored', bytes: randomBytes(PICTURE_BYTES), mediaType: 'image/webp' } as const
  await store.transact(trx => trx.updateTable('picture').set(picture).where('listingId', '=', 1).execute())
  ledger = await ledgerOf(store)
  expect(await operateHere(source.env, 'export', whole)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await source.remove()
  rmSync(folder, { recursive: true })
})

const PICTURE_BYTES = 3 * 1024 * 1024

let files = 0
/** A file with these lines of the export, or with what became of its text. */
function fileOf(change: (text: string) => string | Buffer, suffix = ''): string {
  const file = join(folder, `${++files}.jsonl${suffix}`)
  writeFileSync(file, change(readFileSync(whole, 'utf8')))
  return file
}

/** The export with another header, and checksums that fit. */
const withHeader = (change: (header: Record<string, unknown>) => object) =>
  fileOf(text => {
    const [first = '', ...rest] = text.split('\n')
    const header = change(JSON.parse(first).header)
    return [JSON.stringify({ placard: 'export', header, sha256: sha256(JSON.stringify(header)) }), ...rest].join('\n')
  })

/** An export with one row as its only block, and checksums that fit: what somebody with a text editor can write. */
const withBlock = (table: string, row: string, listed = { table, rows: 1 }) =>
  fileOf(text => {
    const { header } = JSON.parse(text.slice(0, text.indexOf('\n')))
    header.tables = [listed, ...header.tables.filter((each: { table: string }) => each.table !== listed.table)]
    const text1 = `${row}\n`
    const block = { block: 1, table, rows: 1, sha256: hashOfBlock(1, table as Table, text1) }
    const head = JSON.stringify({ placard: 'export', header, sha256: sha256(JSON.stringify(header)) })
    const body = `${head}\n${JSON.stringify(block)}\n${text1}`
    return `${body}${JSON.stringify({ end: true, blocks: 1, rows: 1, sha256: sha256(body) })}\n`
  })

/** Where the block of a table begins. */
const blockOf = (text: string, table: Table) => text.search(new RegExp(`\\{"block":\\d+,"table":"${table}"`))
/** The text up to the middle of the block of a table. */
const cutIn = (text: string, table: Table) => text.slice(0, blockOf(text, table) + 200)

it('says what to do if PostgreSQL does not answer, and so does a migration', async () => {
  const dead = { DATABASE_URL: 'postgres://placard@127.0.0.1:1/placard', SERVICE_KEY: 'ab'.repeat(32) }
  for (const words of [
    ['import', whole],
    ['migrate', '--check'],
  ]) {
    const { code, output } = await operateHere(dead, ...words)
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^placard: .*ECONNREFUSED.*Check PostgreSQL and DATABASE_URL\n$/),
    ])
  }
})

describe.each(ENGINES)('an import into %s', engine => {
  let target: EmptyDatabase
  beforeEach(async () => {
    target = await emptyDatabase(engine)
  })
  afterEach(() => target.remove())

  const importFile = (file: string) => operateHere(target.env, 'import', file)
  async function expectWhole(): Promise<void> {
    const { code, output } = await importFile(whole)
    expect(output).toContain('Every row was copied.\nNo difference: 3 payments and 6 board totals')
    expect(code).toBe(0)
    expect(await ledgerOf(await target.openStore())).toEqual(ledger)
  }

  it('that was killed in the middle goes on where it stopped, and until then serves nobody', async () => {
    const pipe = join(folder, `pipe-${engine}`)
    execFileSync('mkfifo', [pipe])
    const { child, ended, output: said } = run('server/bundled/placard.js', ['import', pipe], target.env)
    const into = await open(pipe, 'w')
    const text = readFileSync(whole, 'utf8')
    await into.write(cutIn(text, 'payment'))
    const store = openUnmigrated(configFrom(target.env))
    const blocksIn = async () => (await findUnfinishedImport(store.db, engine).catch(() => undefined))?.blocks
    const before = text.slice(0, blockOf(text, 'payment')).split('{"block":').length - 1
    const tooEarly = ended.then(() => Promise.reject(new Error(`The import has ended: ${said()}`)))
    await Promise.race([expect.poll(blocksIn).toBe(before), tooEarly])
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    await into.close()
    await store.close()

    const stopped =
      'an import into this database was not finished: run the same npm run placard -- import or restore-backup'
    expect((await operateHere({ ...target.env, SERVICE_KEY: '11'.repeat(32) }, 'list')).output).toContain(stopped)
    await expect(startService(configFrom({ ...target.env, PORT: '0' }))).rejects.toThrow(stopped)
    const another = join(folder, `another-${engine}.jsonl`)
    await operateHere(source.env, 'export', another)
    expect((await importFile(another)).output).toContain('an import of another export into this database has begun')
    const { output } = await importFile(whole)
    expect(output).toContain(`Continued after block ${before}.`)
    expect(await ledgerOf(await target.openStore())).toEqual(ledger)
  })

  it('ends at a changed byte or a cut, in one line, and goes on with a whole file', async () => {
    for (const [file, why] of [
      [
        fileOf(text => text.replace('"host":', '"hots":').replace('c.com', 'd.com')),
        /is damaged: block \d+ does not match/,
      ],
      [fileOf(text => cutIn(text, 'payment')), /: it is cut off: its last line is missing/],
      [fileOf(text => gzipSync(text).subarray(0, -100), '.gz'), /: it is cut off/],
      [
        fileOf(text => text.replace(/"end":true,"blocks":\d+/, '"end":true,"blocks":1')),
        /its last line does not match/,
      ],
    ] as const) {
      const { code, output } = await importFile(file)
      expect(output).toMatch(why)
      expect(output.trim().split('\n')).toHaveLength(1)
      expect(code).toBe(1)
    }
    await expectWhole()
  })

  it('refuses a file that is no export, has a damaged head or is from a newer version, and leaves nothing', async () => {
    for (const [file, why] of [
      [fileOf(() => '{"no":"export"}\n'), 'this is not an export of Placard'],
      [folder, 'this is a folder; restore-backup reads the folder of a backup'],
      [fileOf(() => ''), 'it is cut off'],
      [fileOf(() => zstdCompressSync('{'.repeat(2 ** 26 + 1)), '.zst'), 'a line is too long'],
      [fileOf(text => text.replace('"format":1', '"format":0')), 'it is damaged: its first line'],
      [
        withHeader(header => ({ ...header, schema: '9999', version: '9.9.9' })),
        'it was made by a newer version, Placard 9.9.9 (schema 9999): use that version or a later one',
      ],
      [join(folder, 'missing.jsonl'), 'ENOENT'],
    ] as const) {
      const { code, output } = await importFile(file)
      expect(output).toContain(why)
      expect(code).toBe(1)
    }
    await expectWhole()
  })

  it('refuses tables and columns that no export has', async () => {
    const session = `{"hash":"${'0'.repeat(64)}","operator":"eve"}`
    const facts = { host: 'a.com', subdomains: 0, reason: 'spam', blockedBy: 'eve', blockedAt: NOON, decisionId: 'd' }
    const blocked = JSON.stringify({ id: 1, ...facts, endedAt: null })
    for (const [file, why] of [
      [withBlock('console_session', session), 'its table console_session is in no export of Placard'],
      [withBlock('console_passkey', '{"id":"x"}'), 'its table console_passkey is in no export of Placard'],
      [withBlock('unfinished_import', '{"id":"x"}'), 'its table unfinished_import is in no export'],
      [withBlock('console_session', session, { table: 'blocked_host', rows: 1 }), 'it is damaged: block 1'],
      [withHeader(header => ({ ...header, tables: undefined })), 'it does not list its tables'],
      [
        withBlock('blocked_host', '{"host":"a.com","evil":1}'),
        'a row of blocked_host has another column, evil: use a file that Placard wrote',
      ],
      [withBlock('blocked_host', '{"host":"a.com"}'), 'a row of blocked_host lacks the column'],
      [
        withBlock('blocked_host', blocked, { table: 'blocked_host', rows: 2 }),
        'blocked_host has 1 row, and the export 2: use an empty database',
      ],
    ] as const) {
      const into = await migratedDatabase(engine)
      try {
        const { code, output } = await operateHere(into.env, 'import', file)
        expect(output).toContain(why)
        expect(output.trim().split('\n')).toHaveLength(1)
        expect(code).toBe(1)
      } finally {
        await into.remove()
      }
    }
    await expectWhole()
  })

  it('refuses a store that is not empty, or has other keys', async () => {
    const other = { ...target.env, SERVICE_KEY: '22'.repeat(32) }
    const service = await startService(configFrom({ ...other, PORT: '0', LOG_LEVEL: 'silent' }))
    await service.stop()
    expect((await importFile(whole)).output).toContain('the database is not empty (')
    const withKey = withHeader(header => ({ ...header, keys: ['no such key'] }))
    expect((await operateHere(other, 'import', withKey)).output).toContain(
      'SERVICE_KEY lacks a key that this site needs',
    )
  })

  it('takes the export of an older version, and migrates it', async () => {
    const old = await emptyDatabase('sqlite')
    const store = openUnmigrated(configFrom(old.env))
    const file = join(folder, `older-${engine}.jsonl`)
    try {
      await inTurn(store, trx => migrateTo(trx, 'sqlite', '0005'))
      await fillOld(store.db)
      writeFileSync(file, (await oldExport(store)).join(''))
    } finally {
      await store.close()
      await old.remove()
    }
    expect(await importFile(file)).toMatchObject({ code: 0 })
    const { db } = await target.openStore()
    const decisions = await db.selectFrom('decision').select(['kind', 'listingId', 'at']).execute()
    expect(decisions).toEqual([{ kind: 'hide', listingId: 7, at: NOON }])
    const listing = await db
      .insertInto('search_word')
      .values({ word: 'new', parts: '' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(listing.id).toBe(1)
  })
})

async function fillOld(db: Db): Promise<void> {
  await sql`insert into listing (id, slug, "destinationKey", url, hostname, category, title, description,
      "siteName", language, "publishedAt", "expiresAt")
    values (7, 'old-com', '2:old.com', 'http://old.com/', 'old.com', 'Games', 'Old', '', '', 'en', ${NOON},
      ${NOON + 60 * 24 * 60 * 60 * 1000})`.execute(db)
  await sql`insert into audit_event ("listingId", action, actor, reason, at)
    values (7, 'hide', 'operator', 'a test', ${NOON})`.execute(db)
}

async function oldExport(store: Store): Promise<string[]> {
  // Tables of that time, some of which are gone.
  const tables = ['listing', 'audit_event'].map(table => ({ table: table as Table, rows: 1 }))
  const header = {
    format: 1,
    id: 'old',
    at: '',
    version: '0.1.0',
    schema: '0005',
    engine: 'sqlite',
    keys: [],
    tables,
  }
  const text: string[] = []
  for await (const piece of exportText(store.db, 'sqlite', header, pictureReader(configFrom({})))) text.push(piece)
  return text
}

it('an import that fills the disk says so, and goes on when there is room', async context => {
  const disk = mountSmallDisk(9)
  if (!disk) return context.skip('this process may not mount')
  try {
    const env = { DATA_DIR: join(disk.folder, 'data') }
    // The picture needs what is left.
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(6 * 1024 * 1024))
    const { code, output } = await operateHere(env, 'import', whole)
    expect(output).toMatch(/full|no space|disk I\/O/i)
    expect(code).toBe(1)
    disk.empty()
    expect((await operateHere(env, 'import', whole)).output).toMatch(
      /Continued after block \d+\.\n.*Every row was copied/,
    )
  } finally {
    disk.remove()
  }
})

it('every table comes after those it refers to', async () => {
  const { db } = await source.openStore()
  const header = await headerOf(db, 'sqlite', NOON)
  const order = header.tables.map(({ table }) => table as string)
  const { rows } = await sql<{ table: string; other: string }>`
    select schema.name as "table", key."table" as other
    from sqlite_schema as schema, pragma_foreign_key_list(schema.name) as key`.execute(db)
  expect(rows.length).toBeGreaterThan(5)
  const exported = rows.filter(({ table }) => order.includes(table))
  expect(exported.filter(({ table, other }) => order.indexOf(other) >= order.indexOf(table))).toEqual([])
})

it('two exports to one file at once leave a whole one', async () => {
  const file = join(folder, 'both.jsonl')
  const begun = () => readdirSync(folder).filter(name => name.startsWith('both.jsonl'))
  const { child, ended, output } = run('server/bundled/placard.js', ['export', file], source.env)
  await expect.poll(() => begun().some(name => statSync(join(folder, name)).size > 0), { interval: 1 }).toBe(true)
  child.kill('SIGSTOP')
  const second = await operateHere(source.env, 'export', file)
  child.kill('SIGCONT')
  const codes = [await ended, second.code]

  expect(codes.toSorted()).toEqual([0, 1])
  expect(output() + second.output).toContain(`${file} exists: choose another name`)
  expect(begun()).toEqual(['both.jsonl'])
  const target = await emptyDatabase('sqlite')
  expect(await operateHere(target.env, 'import', file)).toMatchObject({ code: 0 })
  await target.remove()
})
