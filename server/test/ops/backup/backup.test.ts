// @module-tag programs
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { inTurn, migrateTo } from '../../../src/platform/db/migrate.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { type Operated, operateHere } from '../../support/operate.ts'
import { run, startProcess } from '../../support/process.ts'
import { newCredentials, publishAtLast, publishBody, startTestService } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { backUpOnce } from './back-up-once.ts'

let sites: Sites
let folder: string
beforeEach(async () => {
  sites = await startSites()
  folder = mkdtempSync(join(tmpdir(), 'placard-backup-'))
})
afterEach(async () => {
  await sites.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the service once, which writes its keys and its files. */
const createBoard = async (database: EmptyDatabase) => (await startTestService({ database, sites })).stop()

describe.each(ENGINES)('a backup of a store on %s', engine => {
  let database: EmptyDatabase
  let other: EmptyDatabase
  beforeEach(async () => {
    ;[database, other] = [await migratedDatabase(engine), await emptyDatabase(engine)]
    Object.assign(other.env, { SERVICE_KEY: database.env.SERVICE_KEY })
  })
  afterEach(async () => {
    await Promise.all([database.remove(), other.remove()])
  })

  const start = (at: EmptyDatabase, workers = '1') =>
    startProcess({
      ...at.env,
      FETCH_CONNECT_TO: sites.connectTo,
      WORKERS: workers,
      BASE_URL: 'http://127.0.0.1:1',
      LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000',
      LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000',
    })
  const backUp = (...options: string[]) => operateHere(database.env, 'backup', join(folder, 'backup'), ...options)
  const restore = (from = join(folder, 'backup')) => operateHere(other.env, 'restore-backup', from)

  it('has everything that was published before, while its workers publish on', async () => {
    const service = await start(database, '2')
    const submissions = Array.from({ length: 12 }, (_, index) => ({
      credentials: newCredentials(),
      body: publishBody(`http://kept-${index}.com/`),
    }))
    const send = async ({ credentials, body }: (typeof submissions)[0], at = service) => {
      const { status, body: answer } = await publishAtLast(at, credentials, body)
      return [status, answer.ownership?.privateRecoveryUrl]
    }
    const before = []
    for (const submission of submissions.slice(0, 4)) before.push(await send(submission))
    const during = Promise.all(submissions.slice(4).map(submission => send(submission)))
    const { code, output } = await backUp('--with-key')
    expect(output).toContain('Every row was copied.\nNo difference: 0 payments')
    expect(code).toBe(0)
    expect((await during).map(([status]) => status)).toEqual(Array(8).fill(201))
    expect(await service.end('SIGTERM')).toBe(0)

    expect(await restore()).toMatchObject({ code: 0 })
    const restored = await start(other)
    const after = []
    for (const submission of submissions.slice(0, 4)) after.push(await send(submission, restored))
    expect(after.map(([, link]) => link)).toEqual(before.map(([, link]) => link))
    expect(after.map(([status]) => status)).toEqual([200, 200, 200, 200])
    await restored.end('SIGTERM')
  })

  it('overwrites no folder, and restores only whole, into an empty store, from no newer version', async () => {
    await createBoard(database)
    expect((await backUp()).output).toContain('This backup does not include the service key.')
    const backup = join(folder, 'backup')
    const files = readdirSync(backup).sort()
    const held = engine === 'sqlite' ? 'placard.db' : 'placard.jsonl.zst'
    expect(files).toEqual(['README.txt', 'manifest.json', held, 'sandbox.db'].sort())
    expect(files.map(name => statSync(join(backup, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o600])
    expectRefused(await backUp(), /backup exists: choose another name$/)

    const manifest = join(backup, 'manifest.json')
    const changed = async (file: string, text: string | Buffer, why: RegExp) => {
      const before = readFileSync(file)
      writeFileSync(file, text)
      expectRefused(await restore(), why)
      writeFileSync(file, before)
    }
    const was = readFileSync(manifest, 'utf8')
    await changed(manifest, was.replace('"schema": "', '"schema": "9'), /backup: it was made by a newer version/)
    await changed(manifest, was.slice(0, -9), /manifest.json is damaged: use another backup$/)
    const whole = readFileSync(join(backup, held))
    const flipped = Buffer.from(whole)
    flipped[500] = (flipped[500] ?? 0) ^ 1
    await changed(join(backup, held), flipped, /was changed or damaged: use another backup$/)
    await changed(join(backup, held), whole.subarray(0, -1), /was changed or damaged: use another backup$/)
    rmSync(manifest)
    expectRefused(await restore(), /backup is not a complete backup, and contains none: manifest.json is missing$/)
    writeFileSync(manifest, was)
    for (const nothing of ['missing', 'backup/README.txt']) {
      const path = join(folder, nothing)
      expectRefused(await restore(path), new RegExp(`^placard: there is no folder ${path}: name the folder`))
    }
    const sandbox = join(other.dataDir, 'sandbox.db')
    mkdirSync(other.dataDir, { recursive: true })
    writeFileSync(sandbox, 'of another site')
    expectRefused(await restore(), /the database is not empty \(there is .*sandbox\.db\): use a new DATA_DIR$/)
    // Nothing was restored.
    rmSync(sandbox)

    const restored = await restore()
    expect(restored).toMatchObject({ code: 0 })
    // PostgreSQL has it in SERVICE_KEY.
    expect(restored.output.includes('copy service.key')).toBe(engine === 'sqlite')
    expectRefused(await restore(), /the database is not empty/)
  })

  it('with the service key is restored where that is not set yet, as its README says', async () => {
    await createBoard(database)
    const readme = () => readFileSync(join(folder, 'backup', 'README.txt'), 'utf8')
    await backUp()
    expect(readme()).toContain(engine === 'sqlite' ? ': put the file service.key into' : ': set SERVICE_KEY to it.')
    rmSync(join(folder, 'backup'), { recursive: true })
    await backUp('--with-key')
    expect(readme()).toContain('The service key is in this backup.')
    const { SERVICE_KEY: _, ...env } = other.env
    const { code, output } = await operateHere(env, 'restore-backup', join(folder, 'backup'))
    expect([code, output]).toEqual([0, expect.stringContaining('Every row was copied.')])
    const file = join(other.dataDir, 'service.key')
    expect(output.includes(`Set SERVICE_KEY to the content of ${file}.`)).toBe(engine === 'postgres')
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(folder, 'backup', 'service.key'), 'utf8'))
  })

  it('is restored only with the files that a backup has, and with no key that the board never used', async () => {
    await createBoard(database)
    expect(await backUp('--with-key')).toMatchObject({ code: 0 })
    const backup = join(folder, 'backup')
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    const held = engine === 'sqlite' ? 'placard.db' : 'placard.jsonl.zst'
    const forge = (files: object) =>
      writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, files }))
    const described = (name: string) => {
      const content = readFileSync(join(backup, name))
      return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
    }
    writeFileSync(join(backup, 'authorized_keys'), 'ssh-rsa eve')
    forge({ ...manifest.files, authorized_keys: described('authorized_keys') })
    expectRefused(await restore(), /manifest.json lists authorized_keys, which no backup has/)
    const { [held]: _held, ...rest } = manifest.files
    forge(rest)
    expectRefused(await restore(), /manifest.json must list either placard.db or placard.jsonl.zst/)
    forge({ ...manifest.files, [held]: {} })
    expectRefused(await restore(), /manifest.json is damaged/)
    const eve = '66'.repeat(32)
    writeFileSync(join(backup, 'service.key'), `${eve}\n${readFileSync(join(backup, 'service.key'), 'utf8')}`)
    forge({ ...manifest.files, 'service.key': described('service.key') })
    expectRefused(await restore(), /service.key contains a key that this site never used/)
    expect(existsSync(join(other.dataDir, 'service.key'))).toBe(false)
  })

  it('that is killed leaves a folder that says so, and holds up nobody', async () => {
    const service = await start(database)
    const { child, ended } = run('server/bundled/placard.js', ['backup', join(folder, 'backup')], database.env)
    await expect.poll(() => readdirSync(folder).length, { interval: 1 }).toBe(1)
    child.kill('SIGKILL')
    const isKilled = (await ended) === 'SIGKILL'
    const left = readdirSync(folder)
    // It may have been too quick for us.
    expect(left).toEqual([expect.stringMatching(isKilled ? /^backup(\.unfinished-\w{6})?$/ : /^backup$/)])
    expect((await publishAtLast(service, newCredentials(), publishBody('http://after.com/'))).status).toBe(201)
    const next = await operateHere(database.env, 'backup', join(folder, 'next'))
    expect(next).toMatchObject({ code: 0 })
    await service.end('SIGTERM')
  })
})

function expectRefused({ code, output }: Operated, why: RegExp): void {
  expect(output.trim()).toMatch(why)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(code).toBe(1)
}

it('a backup that fills the disk says so in one line and leaves nothing', async context => {
  const disk = mountSmallDisk(1)
  if (!disk) return context.skip('this process may not mount')
  const database = await migratedDatabase('sqlite')
  try {
    await createBoard(database)
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(900 * 1024))
    const target = join(disk.folder, 'backup')
    expectRefused(await operateHere(database.env, 'backup', target), /^placard: no backup was made in backup: .*full/)
    expect(readdirSync(disk.folder)).toEqual(['filler'])
  } finally {
    await database.remove()
    disk.remove()
  }
})

it('a backup of SQLite has exactly its schema, and opens no console', async () => {
  const database = await migratedDatabase('sqlite')
  try {
    await createBoard(database)
    const original = new Sqlite(join(database.dataDir, 'placard.db'))
    original.exec(`insert into console_operator (name, "linkedAt") values ('eve', 0);
      insert into console_session (hash, name, "endsAt") values ('${'0'.repeat(64)}', 'eve', 9e15);
      insert into console_passkey (id, name, label, "publicKey", counter, "addedAt")
        values ('id', 'eve', 'Phone', 'key', 0, 0)`)
    const backup = join(folder, 'backup')
    expect(await operateHere(database.env, 'backup', backup)).toMatchObject({ code: 0 })
    const trigger = `create trigger opens after insert on job begin
      insert into console_session (hash, name, "endsAt") values ('${'1'.repeat(64)}', 'eve', 9e15); end`
    original.exec(trigger)
    original.close()
    expectRefused(
      await operateHere(database.env, 'backup', join(folder, 'next')),
      /has the trigger opens, which Placard never creates: drop it$/,
    )

    const restored = { ...database.env, DATA_DIR: join(folder, 'restored'), SERVICE_KEY: '' }
    expect(await operateHere(restored, 'restore-backup', backup)).toMatchObject({
      code: 0,
      output: expect.stringContaining(
        '\nBefore you start Placard, copy service.key from the old DATA_DIR into this one',
      ),
    })
    const copy = new Sqlite(join(folder, 'restored', 'placard.db'))
    expect(copy.prepare('select count(*) from console_session').pluck().get()).toBe(0)
    // Users sign in again with what they have.
    expect(copy.prepare('select name from console_passkey').pluck().all()).toEqual(['eve'])
    copy.close()

    const file = join(backup, 'placard.db')
    const again = { ...restored, DATA_DIR: join(folder, 'again') }
    // After each change, the database has those before it, too. The first difference is named.
    for (const [change, why] of [
      ['drop index blocked_host_ended', /lacks the index blocked_host_ended: use another backup$/],
      [
        `drop trigger listing_search_added; ${trigger.replace('opens', 'listing_search_added')}`,
        /differs from Placard's in the trigger listing_search_added: use another backup$/,
      ],
      [trigger, /has the trigger opens, which Placard never creates: drop it$/],
    ] as const) {
      const forged = new Sqlite(file)
      forged.exec(change)
      forged.close()
      const content = readFileSync(file)
      const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
      manifest.files['placard.db'] = {
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      }
      writeFileSync(join(backup, 'manifest.json'), JSON.stringify(manifest))
      expectRefused(await operateHere(again, 'restore-backup', backup), why)
    }
    expect(existsSync(join(folder, 'again', 'placard.db'))).toBe(false)
  } finally {
    await database.remove()
  }
})

it('a backup of SQLite is made and restored without a folder for temporary files, as in the container', async () => {
  const database = await migratedDatabase('sqlite')
  await createBoard(database)
  const backup = join(folder, 'backup')
  const operated = (command: string, DATA_DIR: string) =>
    run('server/bundled/placard.js', [command, backup], { ...database.env, DATA_DIR, TMPDIR: join(folder, 'missing') })
      .ended
  expect(await operated('backup', database.dataDir)).toBe(0)
  expect(await operated('restore-backup', join(folder, 'restored'))).toBe(0)
  await database.remove()
})

it('a backup of SQLite is restored where it was made for', async () => {
  const database = await migratedDatabase('sqlite')
  await createBoard(database)
  const backup = join(folder, 'backup')
  expect(await operateHere(database.env, 'backup', backup)).toMatchObject({ code: 0 })
  const elsewhere = {
    DATA_DIR: join(folder, 'unused'),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    SERVICE_KEY: '11'.repeat(32),
  }
  expectRefused(await operateHere(elsewhere, 'restore-backup', backup), /is a backup of SQLite: restore it without/)
  const wrongKey = { DATA_DIR: join(folder, 'new'), SERVICE_KEY: '11'.repeat(32) }
  expectRefused(await operateHere(wrongKey, 'restore-backup', backup), /SERVICE_KEY lacks a key that this site needs/)
  expect(existsSync(join(folder, 'new', basename('placard.db')))).toBe(false)
  await database.remove()
})

it('a backup of SQLite is not mixed with the log of a database that was moved away', async () => {
  const database = await migratedDatabase('sqlite')
  try {
    await createBoard(database)
    const env = { ...database.env, PAYMENTS: 'none' }
    const backup = join(folder, 'backup')
    expect(await operateHere(env, 'backup', backup)).toMatchObject({ code: 0 })
    const service = await startProcess({ ...env, FETCH_CONNECT_TO: sites.connectTo })
    expect((await publishAtLast(service, newCredentials(), publishBody('http://later.com/'))).status).toBe(201)
    await service.end('SIGKILL')
    rmSync(join(database.dataDir, 'placard.db'))

    const restore = () => operateHere(env, 'restore-backup', backup)
    expectRefused(await restore(), /the database is not empty \(there is .*placard\.db-wal\): use a new DATA_DIR$/)
    expect(existsSync(join(database.dataDir, 'placard.db'))).toBe(false)
    rmSync(join(database.dataDir, 'placard.db-wal'))
    expect(await restore()).toMatchObject({ code: 0, output: expect.stringContaining('listings: 0.') })
    expect((await operateHere(env, 'list')).output).toBe('There are no listings yet.\n')
  } finally {
    await database.remove()
  }
})

it('two restores into one folder do not mix, and the next one deletes what a killed one left', async () => {
  const database = await migratedDatabase('sqlite')
  try {
    await createBoard(database)
    const [identity, pipe, to] = [join(folder, 'identity.txt'), join(folder, 'pipe'), join(folder, 'backups')]
    const secret = await generateX25519Identity()
    writeFileSync(identity, secret)
    execFileSync('mkfifo', [pipe])
    mkdirSync(to)
    const { SERVICE_KEY: _, ...env } = { ...database.env, PAYMENTS: 'none', DATA_DIR: join(folder, 'restored') }
    const recipient = await identityToRecipient(secret)
    const { name } = await backUpOnce({ ...database.env, BACKUP_TO: to, BACKUP_RECIPIENT: recipient })
    const unfinished = join(env.DATA_DIR, 'restore.unfinished')
    // Each waits for its identity, and has a copy of the backup by then.
    const begin = async () => {
      const begun = run('server/bundled/placard.js', ['restore-backup', to, '--identity', pipe], env)
      await expect.poll(() => existsSync(join(unfinished, name, 'manifest.json.age'))).toBe(true)
      return begun
    }
    const killed = await begin()
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(readdirSync(env.DATA_DIR)).toEqual(['restore.unfinished'])
    renameSync(join(unfinished, name), join(unfinished, 'decrypted'))

    const first = await begin()
    expect(readdirSync(unfinished)).not.toContain('decrypted')
    const second = () => operateHere(env, 'restore-backup', to, '--identity', identity)
    expectRefused(await second(), /^placard: another restore-backup writes to .*: wait until it has ended$/)
    writeFileSync(pipe, secret)
    expect([await first.ended, first.output()]).toEqual([0, expect.stringMatching(/^Restored from/)])
    expect(readdirSync(env.DATA_DIR).sort()).toEqual(['placard.db', 'sandbox.db', 'service.key'])

    // Of a backup that is not encrypted, there is only the copy of its database.
    const [plain, copy] = [join(folder, 'plain'), join(env.DATA_DIR, 'other', 'placard.db.unfinished')]
    expect(await operateHere(database.env, 'backup', plain)).toMatchObject({ code: 0 })
    const other = { ...database.env, PAYMENTS: 'none', DATA_DIR: join(copy, '..') }
    mkdirSync(copy, { recursive: true })
    const lock = new Sqlite(join(copy, 'lock'))
    lock.exec('begin immediate')
    writeFileSync(join(copy, 'placard.db-wal'), 'of another restore')
    expectRefused(await operateHere(other, 'restore-backup', plain), /^placard: another restore-backup writes to/)
    expect(readdirSync(other.DATA_DIR)).toEqual(['placard.db.unfinished'])
    lock.close()
    expect(await operateHere(other, 'restore-backup', plain)).toMatchObject({ code: 0 })
    expect(readdirSync(other.DATA_DIR).sort()).toEqual(['placard.db', 'sandbox.db'])
  } finally {
    await database.remove()
  }
})

it('a restore whose migration fails leaves no database, and can be repeated', async context => {
  const disk = mountSmallDisk(4)
  if (!disk) return context.skip('this process may not mount')
  const [database, old] = [await migratedDatabase('sqlite'), await emptyDatabase('sqlite')]
  try {
    await createBoard(database)
    const backup = join(folder, 'backup')
    const env = { ...database.env, PAYMENTS: 'none' }
    expect(await operateHere(env, 'backup', backup)).toMatchObject({ code: 0 })
    const store = openUnmigrated(configFrom(old.env))
    await inTurn(store, trx => migrateTo(trx, 'sqlite', '0018'))
    await store.close()
    const content = readFileSync(join(old.dataDir, 'placard.db'))
    writeFileSync(join(backup, 'placard.db'), content)
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    const sha256 = createHash('sha256').update(content).digest('hex')
    const files = { 'placard.db': { bytes: content.length, sha256 } }
    writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, schema: '0018', files }))

    // Room for the copy, but not for the migration.
    const { bavail, bsize } = statfsSync(disk.folder)
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(bavail * bsize - content.length - 96 * 1024))
    const restored = { ...env, DATA_DIR: join(disk.folder, 'restored') }
    expectRefused(
      await operateHere(restored, 'restore-backup', backup),
      /cannot be migrated: database or disk is full\. Make room on that disk, or replace it if it is faulty$/,
    )
    expect(readdirSync(restored.DATA_DIR)).toEqual([])
    disk.empty()
    expect(await operateHere(restored, 'restore-backup', backup)).toMatchObject({ code: 0 })
    expect(readdirSync(restored.DATA_DIR)).toEqual(['placard.db'])
  } finally {
    for (const each of [database, old]) await each.remove()
    disk.remove()
  }
})
