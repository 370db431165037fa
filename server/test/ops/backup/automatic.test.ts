// @module-tag programs
// @module-tag slow
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPlace } from '../../../src/ops/backup/places.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, emptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { isAlive, processesOf, startProcess } from '../../support/process.ts'
import { type S3Server, startS3 } from '../../support/s3.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { backUpOnce, backupsIn } from './back-up-once.ts'

let s3: S3Server
let sites: Sites
let identity: string
let recipient: string
beforeAll(async () => {
  ;[s3, sites, identity] = [await startS3(), await startSites(), await generateX25519Identity()]
  recipient = await identityToRecipient(identity)
})
afterAll(() => Promise.all([s3.close(), sites.close()]))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-automatic-'))
  writeFileSync(join(folder, 'identity.txt'), `# made by a test\n${identity}\n`)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.each(SQLITE_FIRST)('automatic backups on %s', engine => {
  let database: EmptyDatabase
  let empty: EmptyDatabase
  beforeEach(async () => {
    ;[database, empty] = [await migratedDatabase(engine), await emptyDatabase(engine)]
  })
  afterEach(() => Promise.all([database.remove(), empty.remove()]))

  it('are made in object storage, encrypted with the key, and restored on an empty machine', async () => {
    const to = s3.address(`sites/${engine}`)
    const env = { ...s3.env, BACKUP_TO: to, BACKUP_EVERY: '5s', BACKUP_RECIPIENT: recipient }
    const service = await startTestService({ database, sites, env, jobsEveryMs: 500 })
    const submission = [newCredentials(), publishBody(`http://kept-${engine}.com/`)] as const
    const { body } = await publish(service, ...submission)
    const count = async () => (await backupsIn({ ...database.env, ...env })).length
    // One may have begun before the listing was published.
    const before = await count()
    await expect.poll(count).toBeGreaterThan(before + 1)
    await service.stop()

    const all = await backupsIn({ ...database.env, ...env })
    const held = engine === 'sqlite' ? 'placard.db.age' : 'placard.jsonl.zst.age'
    expect(all.at(-1)?.[1].sort()).toEqual(
      ['README.txt', 'manifest.json.age', held, 'sandbox.db.age', 'service.key.age'].sort(),
    )

    // With no setting but what the README names, and by its command.
    const { SERVICE_KEY: _none, ...machine }: Env = { ...empty.env, ...s3.env }
    const restore = (...words: string[]) => operateHere(machine, 'restore-backup', ...words)
    expect((await restore(to)).output).toMatch(/is encrypted: name the file of your age identity with --identity\n$/)
    const place = openPlace(to, configFrom({ ...database.env, ...env }).s3)
    await place.fetch(all.at(-1)?.[0] ?? '', ['README.txt'], folder)
    const readme = readFileSync(join(folder, 'README.txt'), 'utf8')
    const [, address = '', identityFile = ''] = /restore-backup '(\S+)' --identity (\S+)/.exec(readme) ?? []
    const { code, output } = await restore(address, '--identity', join(folder, identityFile))
    expect(output).toMatch(/^Restored from s3:.*listings: 1. Every row was copied.\nNo difference/)
    expect(code).toBe(0)
    expect(readdirSync(empty.dataDir).filter(name => name.startsWith('restore.'))).toEqual([])

    const key = readFileSync(join(empty.dataDir, 'service.key'), 'utf8').trim()
    const restored = await startTestService({
      database: empty,
      sites,
      env: engine === 'postgres' ? { SERVICE_KEY: key } : {},
    })
    const replayed = await publish(restored, ...submission)
    expect(replayed.status).toBe(200)
    expect(replayed.body.ownership.privateRecoveryUrl?.split('/').at(-1)).toBe(
      body.ownership.privateRecoveryUrl?.split('/').at(-1),
    )
    await restored.stop()
  })

  it('are kept in a folder, up to a number, with nothing else touched', async () => {
    await (await startTestService({ database, sites })).stop()
    const to = join(folder, 'backups')
    mkdirSync(to)
    const site = (await backUpOnce({ ...database.env, BACKUP_TO: to })).name.slice(0, 17)
    const foreign = ['placard-00000000-20200101T000000Z-aaaaaa', `${site}2020`, 'mine']
    const left = `${site}20200101T000000Z-aaaaaa`
    const inProgress = `${site}${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}-zzzzzz`
    for (const name of [...foreign, left, inProgress]) mkdirSync(join(to, name))
    writeFileSync(join(to, foreign[0] ?? '', 'manifest.json'), '{}')
    const made = []
    for (const seconds of [1, 2, 3]) {
      const env = { ...database.env, BACKUP_TO: to, BACKUP_KEEP: '2' }
      made.push((await backUpOnce(env, Date.now() + seconds * 1000)).name)
    }
    expect(readdirSync(to).sort()).toEqual([...foreign, inProgress, ...made.slice(1)].sort())
    const [newest = ''] = made.slice(-1)
    expect(existsSync(join(to, newest, 'service.key'))).toBe(false)
    expect(statSync(join(to, newest, 'README.txt')).mode & 0o777).toBe(0o600)

    const readme = readFileSync(join(to, newest, 'README.txt'), 'utf8')
    expect(readme.indexOf('log-checkpoint')).toBeLessThan(readme.indexOf('Start Placard'))
    expect(readme).toContain('log recover --new-log')
    expect(readme).toContain(`npx placard restore-backup '${join(to, newest)}'`)
    expect(readme).not.toContain('--identity')
    const { SERVICE_KEY } = database.env
    const other = { ...empty.env, ...(SERVICE_KEY && { SERVICE_KEY }) }
    expect((await operateHere(other, 'restore-backup', to)).output).toMatch(/has backups of several sites, such as/)
    expect((await operateHere(other, 'restore-backup', join(to, newest))).output).toMatch(/^Restored from/)
  })
})

const unfinishedIn = (folder: string) => readdirSync(folder).filter(name => name.includes('unfinished'))

describe('an automatic backup that cannot be made', () => {
  let database: EmptyDatabase
  beforeAll(async () => {
    database = await migratedDatabase('sqlite')
    await (await startTestService({ database, sites })).stop()
  })
  afterAll(() => database.remove())

  it.each([
    ['a wrong bucket', () => ({ BACKUP_TO: s3.address('', 'nowhere') }), /^there is no bucket nowhere at http/],
    [
      'a wrong secret',
      () => ({ AWS_SECRET_ACCESS_KEY: 'wrong' }),
      /refuses access \(SignatureDoesNotMatch\): check AWS_/,
    ],
    [
      'a dead server',
      () => ({ BACKUP_TO: 's3://board?endpoint=http://127.0.0.1:1' }),
      /^http:\/\/127.0.0.1:1 does not answer \(.*\): is it running/,
    ],
    [
      'a mistyped recipient',
      () => ({ BACKUP_RECIPIENT: `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}` }),
      /^BACKUP_RECIPIENT age1\w+ is mistyped/,
    ],
  ])('for %s says so in one line, and leaves nothing', async (_what, changed, why) => {
    const env = { ...database.env, ...s3.env, BACKUP_TO: s3.address('failed'), ...changed() }
    await expect(backUpOnce(env)).rejects.toThrow(why)
    await expect(backUpOnce(env)).rejects.toThrow(/^[^\n]+$/)
    expect(unfinishedIn(database.dataDir)).toEqual([])
    expect(await backupsIn({ ...env, ...s3.env, BACKUP_TO: s3.address('failed') })).toEqual([])
  })

  it('for want of room says how much it needs', async context => {
    const disk = mountSmallDisk(8)
    if (!disk) return context.skip()
    try {
      await expect(backUpOnce({ ...database.env, BACKUP_TO: disk.folder })).rejects.toThrow(
        /^a backup needs \d+ MiB free at .*, which has \d MiB: make room$/,
      )
      expect(readdirSync(disk.folder)).toEqual([])
    } finally {
      disk.remove()
    }
  })

  it('because storage changed what it was given is no success', async () => {
    const env = { ...database.env, ...s3.env, BACKUP_TO: s3.address('changing') }
    s3.before = ({ method, url = '' }) => {
      if (method !== 'GET' || !url.endsWith('/placard.db')) return
      const [object = ''] = readdirSync(s3.directory, { recursive: true, encoding: 'utf8' }).filter(path =>
        path.includes('placard.db._S3rver_object'),
      )
      appendFileSync(join(s3.directory, object), 'x')
    }
    await expect(backUpOnce(env)).rejects.toThrow(/placard.db with other content: do not trust this storage$/)
    s3.before = () => {}
    expect(await backupsIn(env)).toEqual([])
  })

  it('because its process was killed never counts as one, and the next one is whole', async () => {
    const env = { ...database.env, ...s3.env, BACKUP_TO: s3.address('killed'), FETCH_CONNECT_TO: sites.connectTo }
    const { promise: hangs, resolve } = Promise.withResolvers<void>()
    s3.before = request => {
      if (request.method !== 'PUT' || !request.url?.includes('manifest.json')) return undefined
      resolve()
      return new Promise(() => {})
    }
    const killed = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
    await hangs
    await killed.end('SIGKILL')
    s3.before = () => {}
    expect(await backupsIn(env)).toEqual([])
    const empty = { ...env, DATA_DIR: join(folder, 'empty') }
    expect((await operateHere(empty, 'restore-backup', env.BACKUP_TO)).output).toMatch(
      /contains none: manifest.json is missing/,
    )
    // The lease of a killed process lasts some seconds, in which the backup seems to be made.
    const none = /(warning|failed) +backup +no automatic backup has succeeded yet/
    expect((await operateHere(env, 'doctor')).output).toMatch(none)

    const again = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
    await expect.poll(() => again.output()).toContain('backed up')
    expect(await backupsIn(env)).toHaveLength(1)
    await again.end('SIGTERM')
    expect(unfinishedIn(database.dataDir)).toEqual([])
    expect((await operateHere(env, 'doctor')).output).toMatch(
      /ok +backup +the last one succeeded 0 minutes ago; BACKUP_TO has 1 of this site/,
    )
    const store = await database.openStore()
    await store.db
      .updateTable('job')
      .set({ succeededAt: Date.now() - 3 * DAY_MS })
      .where('name', '=', 'backup')
      .execute()
    expect((await operateHere(env, 'doctor')).output).toMatch(/failed +backup .*, more than twice BACKUP_EVERY: /)
    // The place was emptied, or its name changed.
    const elsewhere = { ...env, BACKUP_TO: s3.address('elsewhere') }
    expect((await operateHere(elsewhere, 'doctor')).output).toMatch(/failed +backup .*, but BACKUP_TO has none of this/)
  })

  it('is tried less and less often, because each may upload the whole database', async () => {
    const own = await migratedDatabase('sqlite')
    await (await startTestService({ database: own, sites })).stop()
    const store = await own.openStore()
    await store.transact(trx => trx.insertInto('job').values({ name: 'backup', failures: 10 }).execute())
    const env = { ...own.env, ...s3.env, BACKUP_TO: s3.address('', 'nowhere'), BASE_URL: 'http://127.0.0.1:1' }
    const service = await startProcess(env)
    await expect.poll(() => service.output()).toMatch(/"failures":11,"waitMs":2048000,/)
    await service.end('SIGTERM')
    await own.remove()
  })

  it('is not repeated at once because old ones cannot be deleted', async () => {
    const own = await migratedDatabase('sqlite')
    const env = { ...own.env, ...s3.env, BACKUP_TO: s3.address('undeleted'), BACKUP_KEEP: '1' }
    await (await startTestService({ database: own, sites })).stop()
    await backUpOnce(env)
    s3.before = request => {
      if (request.method === 'DELETE') delete request.headers.authorization
    }
    const service = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
    await expect.poll(() => service.output()).toMatch(/refuses access .*could not delete old backups/)
    s3.before = () => {}
    expect(service.output()).toContain('"msg":"backed up"')
    // A success is recorded some seconds later.
    const doctor = async () => (await operateHere(env, 'doctor')).output
    await expect
      .poll(doctor, { interval: 500 })
      .toMatch(/warning +backup .*; BACKUP_TO has 2 of this site, more than BACKUP_KEEP: if the log says/)
    await service.end('SIGTERM')
    await own.remove()
  })

  it('does not follow from a stop signal to the whole group, and its process ends with the service', async () => {
    const own = await migratedDatabase('sqlite')
    const env = { ...own.env, ...s3.env, BACKUP_TO: s3.address('stopped'), BACKUP_EVERY: '5s' }
    const held: (() => void)[] = []
    const nextUpload = () =>
      new Promise<void>(arrived => {
        s3.before = request => {
          if (request.method !== 'PUT') return
          arrived()
          return new Promise<void>(release => held.push(release))
        }
      })
    const goOn = () => {
      s3.before = () => {}
      for (const each of held.splice(0)) each()
    }
    const first = nextUpload()
    const service = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
    const maker = () => processesOf(service.child.pid, 'ops/processes/back-up')
    await first
    const [making] = maker()
    if (making === undefined) throw new Error('no process makes the backup')
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.kill(making, name)
    goOn()
    await expect.poll(() => service.output()).toContain('backed up')
    expect(service.output()).not.toContain('failed')

    await nextUpload()
    const next = maker()
    expect(next).toHaveLength(1)
    expect(await service.end('SIGINT')).toBe(0)
    goOn()
    await expect.poll(() => next.filter(isAlive)).toEqual([])
    await own.remove()
  })
})
