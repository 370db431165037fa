// @module-tag programs
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findDamage } from '../../../src/ops/jobs/check-database.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import { DatabaseFileLost } from '../../../src/platform/db/sqlite-files.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { operate, operateHere } from '../../support/operate.ts'
import { run, type ServiceProcess, startProcess } from '../../support/process.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishAtLast,
  publishBody,
  report,
  startTestService,
} from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'
import { mountFailingDisk, mountSmallDisk } from '../../support/small-disk.ts'

let sites: Sites
let database: EmptyDatabase
let dataDir: string
beforeEach(async () => {
  sites = await startSites()
  database = await migratedDatabase('sqlite')
  dataDir = database.dataDir
})
afterEach(async () => {
  await sites.close()
  await database.remove()
})

const start = (folder = dataDir) =>
  startProcess({
    DATA_DIR: folder,
    FETCH_CONNECT_TO: sites.connectTo,
    BASE_URL: 'http://127.0.0.1:1',
    LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000',
  })

/** Creates the database, as a start would. */
const createFile = async (folder: string) => (await openStore(configFrom({ DATA_DIR: folder }))).close()

const submission = (host: string) => ({ credentials: newCredentials(), body: publishBody(`http://${host}/`) })
type Submission = { credentials: Credentials; body: ReturnType<typeof publishBody> }

async function send(service: { url: string }, { credentials, body }: Submission, by = publish) {
  const { status, body: answer } = await by(service, credentials, body)
  return [status, answer.code ?? answer.status]
}
const UNCONFIRMED = [503, 'publication_unconfirmed']
const PUBLISHED = [201, 'published']
const REPLAYED = [200, 'published']

async function readiness(service: { url: string }) {
  const response = await fetch(`${service.url}/readyz`)
  const body = (await response.json()) as { code?: string; status?: string }
  return [response.status, body.code ?? body.status]
}
const NOT_READY = [503, 'not_ready']
const READY = [200, 'ready']
const statusOf = async (service: { url: string }, path: string) => (await fetch(service.url + path)).status

const reportListing = (service: { url: string }, { body }: Submission) =>
  report(service, new URL(body.destination).hostname)

/** Starts a fresh process, which sees only what is on disk. */
async function startAfterCrash(service: ServiceProcess, folder = dataDir): Promise<ServiceProcess> {
  await service.end('SIGKILL')
  return start(folder)
}

describe('the database of a running service', () => {
  it('keeps its lock, and what is published after the operator and a SQLite shell have looked at it', async () => {
    const service = await start()
    const { ino } = statSync(join(dataDir, 'placard.db'))
    const isLocked = () =>
      expect(readFileSync('/proc/locks', 'utf8')).toMatch(
        new RegExp(` ${service.child.pid} [0-9a-f]+:[0-9a-f]+:${ino} `),
      )
    isLocked()
    expect((await operate({ DATA_DIR: dataDir }, 'list')).code).toBe(0)
    isLocked()
    lookAsShellsDo()
    const kept = submission('kept.com')
    expect(await send(service, kept, publishAtLast)).toEqual(PUBLISHED)
    const again = await startAfterCrash(service)
    expect(await send(again, kept)).toEqual(REPLAYED)
    await again.end('SIGTERM')
  })

  /** Runs another SQLite, as old as in many shells, which relies only on the lock when it closes the database. */
  function lookAsShellsDo(): void {
    const look = `const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(process.argv[1])
      database.prepare('select count(*) from listing').all()
      database.close()`
    execFileSync(process.execPath, ['-e', look, join(dataDir, 'placard.db')], { stdio: 'ignore' })
  }
})

/** Overwrites the first page of a table or an index. */
function damage(name: string): void {
  const file = join(dataDir, 'placard.db')
  const database = new Sqlite(file)
  const root = database.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(name) as number
  const pageSize = database.pragma('page_size', { simple: true }) as number
  database.close()
  const damaged = openSync(file, 'r+')
  writeSync(damaged, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (root - 1) * pageSize)
  closeSync(damaged)
}

it('a damaged database shows in the probe, in the log once, and in doctor', async () => {
  const filler = await start()
  const published = submission('kept.com')
  expect(await send(filler, published, publishAtLast)).toEqual(PUBLISHED)
  await filler.end('SIGTERM')
  damage('decision')
  const service = await start()
  await expect.poll(() => readiness(service)).toEqual(NOT_READY)
  for (let nth = 0; nth < 50; nth++) await statusOf(service, '/readyz')
  const lines = service
    .output()
    .split('\n')
    .filter(line => line.includes('SQLITE_CORRUPT'))
  expect(lines.length).toBeLessThan(10)
  const { output } = await operateHere({ DATA_DIR: dataDir }, 'doctor')
  expect(output).toMatch(/failed +database +(it is damaged|.*malformed)/)
  await service.end('SIGTERM')
})

it('damage that nobody has met is found by the daily check, which tells the operator', async () => {
  await (await start()).end('SIGTERM')
  damage('report_of_listing')
  const tomorrow = new Sqlite(join(dataDir, 'placard.db'))
  tomorrow.prepare(`update job set "nextAt" = 0 where name = 'check'`).run()
  tomorrow.close()
  const service = await start()
  await expect.poll(() => service.output()).toContain('the database is damaged')
  await expect
    .poll(() => {
      const database = new Sqlite(join(dataDir, 'placard.db'), { readonly: true })
      const warnings = database.prepare('select kind from warning').pluck().all()
      database.close()
      return warnings
    })
    .toContain('database_damaged')
  await service.end('SIGTERM')
})

describe('a full disk', () => {
  it('of the log loses lines, and neither a request nor the stop', async context => {
    const disk = mountSmallDisk(1)
    if (!disk) return context.skip('this process may not mount')
    const log = join(disk.folder, 'log')
    const file = openSync(log, 'a')
    const { child, ended, output } = run(
      'server/bundled/main.js',
      [],
      { PORT: '0', STOP_DELAY: '0', DATA_DIR: dataDir, ACCESS_LOG: 'on' },
      { stdout: file },
    )
    try {
      const port = await expect
        .poll(() => /"port":(\d+),"engine"/.exec(readFileSync(log, 'utf8'))?.[1])
        .toBeDefined()
        .then(() => /"port":(\d+),"engine"/.exec(readFileSync(log, 'utf8'))?.[1])
      disk.fill()
      // More lines than the last page of the file has room for.
      for (let nth = 0; nth < 60; nth++) {
        expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      }
      disk.empty()
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      // What waited is written once there is room.
      await expect.poll(() => readFileSync(log, 'utf8').match(/"route":"\/healthz"/g)?.length).toBe(61)
      disk.fill()
      for (let nth = 0; nth < 60; nth++) await fetch(`http://127.0.0.1:${port}/healthz`)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(output()).toBe('')
    } finally {
      child.kill('SIGKILL')
      closeSync(file)
      disk.remove()
    }
  })

  async function showFull(service: ServiceProcess, fill: () => void, empty: () => void): Promise<Submission> {
    const before = submission('before.com')
    expect(await send(service, before, publishAtLast)).toEqual(PUBLISHED)
    expect(await readiness(service)).toEqual(READY)
    fill()
    const during = submission('during.com')
    await expect.poll(() => readiness(service)).toEqual(NOT_READY)
    // By then the log's remaining room is used up, or soon will be.
    for (let round = 0; round < 40; round++) {
      if ((await send(service, submission(`fill-${round}.com`)))[0] === 503) break
    }
    expect(await send(service, during)).toEqual(UNCONFIRMED)
    expect(await reportListing(service, before)).toBe(503)
    // What is there can still be read.
    expect(await send(service, before)).toEqual(REPLAYED)
    expect([await statusOf(service, '/'), await statusOf(service, '/healthz')]).toEqual([200, 200])
    await expect.poll(() => service.output()).toMatch(/"cause":"SQLITE_(FULL|IOERR_WRITE)"/)
    expect(service.output()).not.toMatch(/cannot rollback|no such savepoint|"level":50/)
    empty()
    await expect.poll(() => readiness(service)).toEqual(READY)
    expect(await send(service, during, publishAtLast)).toEqual(PUBLISHED)
    return during
  }

  it('shows in the probe and as 503, and is over as soon as there is room', async context => {
    const disk = mountSmallDisk(4)
    if (!disk) return context.skip('this process may not mount')
    try {
      const service = await start(disk.folder)
      const during = await showFull(service, disk.fill, disk.empty)
      const again = await startAfterCrash(service, disk.folder)
      expect(await send(again, during)).toEqual(REPLAYED)
      expect(await again.end('SIGTERM')).toBe(0)
    } finally {
      disk.remove()
    }
  })

  it('is met the same way where files may not grow any more', async () => {
    const service = await start()
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`])
    const during = await showFull(
      service,
      () => limit('150000'),
      () => limit('unlimited'),
    )
    const again = await startAfterCrash(service)
    expect(await send(again, during)).toEqual(REPLAYED)
    await again.end('SIGTERM')
  })
})

describe('a disk without any room', () => {
  it('is named at a start and by commands, with what to do', async context => {
    const disk = mountSmallDisk(4)
    if (!disk) return context.skip('this process may not mount')
    const full = { DATA_DIR: join(disk.folder, 'data'), PORT: '0' }
    const says = (what: string) =>
      expect.stringMatching(new RegExp(`${what}[^\n]*[.] Make room on that disk, or replace it if it is faulty\n$`))
    try {
      await createFile(full.DATA_DIR)
      disk.fill()
      const { output, ended } = run('server/bundled/main.js', [], full)
      // SQLite gets no shared memory.
      expect([await ended, output()]).toEqual([
        1,
        says('^Placard cannot start: [^\n]+ cannot be opened: disk I/O error'),
      ])
      expect(await operateHere(full, 'list')).toEqual({ code: 1, output: says('cannot be opened: disk I/O error') })
      const [here, copy] = [{ DATA_DIR: dataDir, SERVICE_KEY: 'ab'.repeat(32) }, join(disk.folder, 'copy')]
      expect(await operateHere(here, 'export', copy)).toEqual({ code: 1, output: says('cannot be written: ENOSPC') })
      expect(await operateHere(here, 'backup', copy)).toEqual({ code: 1, output: says('no backup was made') })
    } finally {
      disk.remove()
    }
  })
})

describe('a read-only disk', () => {
  it('shows in the probe and as 503 if it turns so under the running service', async context => {
    const disk = mountFailingDisk()
    if (!disk) return context.skip('this process may not mount')
    try {
      const service = await start(disk.folder)
      const before = submission('before.com')
      expect(await send(service, before, publishAtLast)).toEqual(PUBLISHED)
      expect(await readiness(service)).toEqual(READY)
      disk.fail()
      expect(await send(service, submission('during.com'))).toEqual(UNCONFIRMED)
      await expect.poll(() => readiness(service)).toEqual(NOT_READY)
      expect(await reportListing(service, before)).toBe(503)
      expect([await send(service, before), await statusOf(service, '/')]).toEqual([REPLAYED, 200])
      await expect.poll(() => service.output()).toMatch(/"cause":"SQLITE_(IOERR|READONLY)/)
      expect(service.output()).not.toMatch(/cannot rollback|"level":50/)
      await service.end('SIGKILL')
    } finally {
      disk.remove()
    }
  })

  it.for(['with', 'without'])('is named at the start, %s a database on it', async (given, context) => {
    const disk = mountSmallDisk(4)
    if (!disk) return context.skip('this process may not mount')
    try {
      if (given === 'with') await createFile(disk.folder)
      disk.makeReadOnly()
      const { output, ended } = run('server/bundled/main.js', [], { DATA_DIR: disk.folder, PORT: '0' })
      expect(await ended).toBe(1)
      expect(output()).toMatch(/^Placard cannot start: [^\n]*DATA_DIR [^\n]+\n$/)
    } finally {
      disk.remove()
    }
  })
})

describe('a database file that is not where it was', () => {
  const file = () => join(dataDir, 'placard.db')
  const aside = () => join(dataDir, 'aside')
  const LOST: [what: string, lose: () => void][] = [
    ['is deleted', () => rmSync(file())],
    ['is deleted with its log', () => ['', '-wal', '-shm'].forEach(end => void rmSync(file() + end))],
    ['is without its log', () => rmSync(`${file()}-wal`)],
    ['is without the index of its log', () => rmSync(`${file()}-shm`)],
    ['is emptied', () => truncateSync(file())],
    [
      'is replaced by a copy',
      () => {
        copyFileSync(file(), aside())
        renameSync(aside(), file())
      },
    ],
    [
      'is replaced by a folder',
      () => {
        rmSync(file())
        mkdirSync(file())
      },
    ],
  ]

  // Published once for all of them: a process that reads pages takes more CPU to start than the rest of each test.
  const before = submission('before.com')
  let published: EmptyDatabase
  beforeAll(async () => {
    published = await migratedDatabase('sqlite')
    const service = await startTestService({ database: published, now: Date.now() })
    expect(await send(service, before, publishAtLast)).toEqual(PUBLISHED)
    await service.stop()
  })
  afterAll(() => published.remove())

  it('is lost for the daily check, and not damaged', async () => {
    const store = await openStore(configFrom({ DATA_DIR: dataDir }))
    expect(await findDamage(store, dataDir)).toBeUndefined()
    for (const end of ['', '-wal', '-shm']) rmSync(file() + end)
    writeFileSync(file(), 'not a database '.repeat(1000))
    await expect(findDamage(store, dataDir)).rejects.toThrow(DatabaseFileLost)
    await store.close()
  })

  it('fails a transaction during which it was moved, though it then commits to that file', async () => {
    const store = await openStore(configFrom({ DATA_DIR: dataDir }))
    const moved = store.transact(async trx => {
      await sql`insert into write_probe (id, filler) values (1, 'x')`.execute(trx)
      renameSync(file(), aside())
    })
    await expect(moved).rejects.toThrow(DatabaseFileLost)
    renameSync(aside(), file())
    await store.close()
  })

  it.each(LOST)('accepts no write if it %s', async (_what, lose) => {
    cpSync(published.dataDir, dataDir, { recursive: true })
    const service = await startTestService({ database, sites, now: Date.now() })
    expect(await send(service, before)).toEqual(REPLAYED)
    expect(await readiness(service)).toEqual(READY)
    lose()
    const lost = submission('lost.com')
    for (let repeats = 0; repeats < 3; repeats++) expect(await send(service, lost)).toEqual(UNCONFIRMED)
    expect(await reportListing(service, before)).toBe(503)
    await expect.poll(() => readiness(service)).toEqual(NOT_READY)
    // What it still knows is no longer in any file.
    expect(await send(service, before)).toEqual(UNCONFIRMED)
    expect(await statusOf(service, '/')).toBe(503)
    expect(await statusOf(service, '/healthz')).toBe(200)
    await service.stop()
  })

  it('is named in the log, and used again when it is moved back, and nothing was lost', async () => {
    const service = await start()
    renameSync(dataDir, `${dataDir}-moved`)
    const lost = submission('lost.com')
    expect(await send(service, lost)).toEqual(UNCONFIRMED)
    await expect.poll(() => service.output()).toMatch(/placard\.db[^ ]* was moved, deleted or replaced/)
    expect(service.output()).not.toMatch(/"level":50/)
    renameSync(`${dataDir}-moved`, dataDir)
    await expect.poll(() => readiness(service)).toEqual(READY)
    expect(await send(service, lost, publishAtLast)).toEqual(PUBLISHED)
    const again = await startAfterCrash(service)
    expect(await send(again, lost)).toEqual(REPLAYED)
    await again.end('SIGTERM')
  })
})
