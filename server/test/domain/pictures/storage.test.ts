// @module-tag programs
// @module-tag slow
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { wantPicture } from '../../../src/domain/pictures/preview-image.ts'
import { openStorage } from '../../../src/domain/pictures/storage.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, emptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { run } from '../../support/process.ts'
import { type S3Server, startS3 } from '../../support/s3.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { image, MINUTE_MS, sends, startPictures } from './pictures.ts'

const COUNT = 6

describe.each(SQLITE_FIRST)('pictures in object storage, on %s', engine => {
  let s3: S3Server
  let database: EmptyDatabase
  let service: TestService
  let store: Store
  let env: Env & { STORAGE_URL: string }
  const listings: { id: number; slug: string; page: string; bytes: Buffer }[] = []

  beforeAll(async () => {
    s3 = await startS3()
    database = await migratedDatabase(engine)
    env = { ...database.env, ...s3.env, STORAGE_URL: s3.address(`pictures/${engine}`) }
    service = await startTestService({ database, env, jobsEveryMs: 0 })
    store = await database.openStore()
    for (let nth = 0; nth < COUNT; nth++) {
      const { body } = await publish(service, newCredentials(), publishBody(`http://stored-${nth}.com/`))
      const page = new URL(body.productUrl).pathname
      const slug = page.split('/').at(-1) ?? ''
      const found = await store.db.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
      // Two have the same picture, and each an object of its own.
      const width = 64 + (nth % (COUNT - 1))
      listings.push({ id: found.id, slug, page, bytes: await image().resize(width, 36).webp().toBuffer() })
    }
  })
  beforeEach(async () => {
    await store.db.deleteFrom('unused_object').execute()
    for (const { id, bytes } of listings) {
      const version = hash('sha256', bytes).slice(0, 12)
      const stored = { state: 'stored', version, bytes, objectName: null, tryAt: null, storedAt: 1 } as const
      await store.db.updateTable('picture').set(stored).where('listingId', '=', id).execute()
    }
  })
  afterEach(() => {
    s3.before = () => {}
  })
  afterAll(async () => {
    await service.stop()
    await database.remove()
    await s3.close()
  })

  const objects = () => {
    const all = readdirSync(s3.directory, { recursive: true, encoding: 'utf8' })
    return all.filter(each => /pictures\/[a-z0-9._-]+\/[0-9a-f]{64}-[0-9a-f]{12}\._S3rver_object$/.test(each))
  }
  const counts = async () => {
    const rows = await store.db.selectFrom('picture').select(['bytes', 'objectName']).execute()
    return { here: rows.filter(row => row.bytes).length, there: rows.filter(row => row.objectName).length }
  }
  const get = (path: string, from = service) => fetch(`${from.url}${path}`)
  const expectAllShown = async (from = service) => {
    for (const { slug, bytes } of listings) {
      const response = await get(`/picture/${slug}`, from)
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    }
  }
  const move = (to: string) => operateHere(env, 'pictures', 'move', '--to', to)

  it('are moved there and back while the service shows them', async () => {
    const doctor = async () =>
      (await operateHere(env, 'doctor')).output.split('\n').find(each => / pictures /.test(each))
    expect(await doctor()).toMatch(
      /^warning .* 0 are in object storage.* 6 in the database: move those with “.*move --to/,
    )
    expect((await move('storage')).output).toMatch(/^Pictures moved to object storage: 6\./)
    expect(await counts()).toEqual({ here: 0, there: COUNT })
    expect(await doctor()).toMatch(/^ok .* 6 are in object storage, which answers, and 0 in the database$/)
    await expectAllShown()
    const share = await get(`/picture/${listings[0]?.slug}/share.png`)
    expect([share.status, share.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await operateHere(database.env, 'doctor')).output).toMatch(
      /failed +pictures +6 are in object storage, and STORAGE_URL is not set/,
    )
    expect((await move('database')).output).toMatch(/^Pictures moved to the database: 6\./)
    expect(await counts()).toEqual({ here: COUNT, there: 0 })
    await expectAllShown()
    expect((await move('nowhere').catch(error => ({ output: String(error) }))).output).toMatch(/--to storage or --to/)
  })

  it('are moved once by two moves, and the rest by the next one after a kill', async () => {
    const before = objects()
    const puts: (() => void)[] = []
    s3.before = request => (request.method === 'PUT' ? new Promise<void>(resolve => puts.push(resolve)) : undefined)
    const begin = () => run('server/bundled/placard.js', ['pictures', 'move', '--to', 'storage', '--json'], env)
    const killed = begin()
    await expect.poll(() => puts.length).toBe(4)
    puts[0]?.()
    await expect.poll(async () => (await counts()).there).toBe(1)
    killed.child.kill('SIGKILL')
    await killed.ended
    await expectAllShown()
    for (const release of puts.splice(0)) release()

    const both = [begin(), begin()]
    // Each has the same four pictures in hand.
    await expect.poll(() => puts.length).toBe(8)
    s3.before = () => {}
    for (const release of puts) release()
    for (const each of both) expect(await each.ended).toBe(0)
    const moved = both.map(each => JSON.parse(each.output()).moved as number)
    expect((moved[0] ?? 0) + (moved[1] ?? 0)).toBe(COUNT - 1)
    expect(await counts()).toEqual({ here: 0, there: COUNT })
    await expectAllShown()
    // Everything that no row names is known, to be deleted.
    const rows = await store.db.selectFrom('picture').select('objectName').execute()
    const unused = await store.db.selectFrom('unused_object').select('name').execute()
    const known = [...rows.map(row => row.objectName), ...unused.map(row => row.name)]
    expect(unused.length).toBeGreaterThanOrEqual(4)
    const isKnown = (object: string) => known.some(name => name !== null && object.includes(name))
    expect(objects().filter(each => !before.includes(each) && !isKnown(each))).toEqual([])
  })

  it('are missing alone while storage is dead, slow or damaged: pages are shown', async () => {
    await move('storage')
    const fresh = await startTestService({ database, env, sites: service.sites, jobsEveryMs: 0 })
    const [first, second] = listings
    const expectAway = async (path: string) => {
      const away = await get(path, fresh)
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
      expect(away.headers.get('cache-control')).toBe('no-store')
    }
    s3.before = () => new Promise(() => {})
    const asked = Array.from({ length: 30 }, () => expectAway(`/picture/${first?.slug}`))
    expect((await get('/', fresh)).status).toBe(200)
    expect((await get(first?.page ?? '', fresh)).status).toBe(200)
    await Promise.all([...asked, expectAway(`/picture/${second?.slug}/share.png`)])
    s3.before = request => request.destroy()
    expect((await move('database')).output).toMatch(/pictures moved: 0, failed: 6: http.* does not answer/)
    expect((await operateHere(env, 'doctor')).output).toMatch(/failed +pictures +http.* does not answer/)
    s3.before = () => {}

    const row = await store.db
      .selectFrom('picture')
      .select('objectName')
      .where('listingId', '=', first?.id ?? 0)
      .executeTakeFirstOrThrow()
    const [file = ''] = objects().filter(each => each.includes(row.objectName ?? '?'))
    const path = join(s3.directory, file)
    const good = readFileSync(path)
    writeFileSync(path, 'other bytes')
    await expectAway(`/picture/${first?.slug}`)
    // One that is damaged keeps no other from a backup, or from its move.
    const { output } = await operateHere(env, 'backup', join(database.dataDir, 'damaged'))
    expect(output).toMatch(/only in object storage: 1 \(pictures\/.* was changed/)
    expect((await move('database')).output).toMatch(/pictures moved: 5, failed: 1: pictures\/.* was changed/)
    writeFileSync(path, good)
    await expectAllShown(fresh)
    await fresh.stop()
  })

  it('are in backups and exports, which need no object storage', async () => {
    await move('storage')
    const other = await migratedDatabase(engine)
    const folder = join(other.dataDir, 'backup')
    expect((await operateHere(env, 'backup', folder)).output).not.toContain('missing')
    const target = await emptyBoard()
    expect((await operateHere(target.env, 'restore-backup', folder)).output).toMatch(/^Restored from/)
    const file = join(other.dataDir, 'site.jsonl')
    expect((await operateHere(env, 'export', file)).output).not.toContain('missing')
    const imported = await emptyBoard()
    expect((await operateHere(imported.env, 'import', file)).output).toMatch(/^Imported from/)
    for (const each of [target, imported]) {
      const copy = await each.openStore()
      const rows = await copy.db
        .selectFrom('picture')
        .select(['listingId', 'bytes', 'objectName'])
        .orderBy('listingId')
        .execute()
      expect(rows.map(row => [row.listingId, row.bytes, row.objectName])).toEqual(
        listings.map(({ id, bytes }) => [id, bytes, null]),
      )
      expect(await copy.db.selectFrom('unused_object').selectAll().execute()).toEqual([])
    }
    s3.before = request => request.destroy()
    const without = await operateHere(env, 'backup', `${folder}-without`)
    expect(without.output).toMatch(
      /\nPictures that are missing, and are only in object storage: 6 \(http.* does not answer/,
    )
    expect(without.code).toBe(0)
    for (const each of [other, target, imported]) await each.remove()
  })

  /** With the service's key, for a copy. */
  async function emptyBoard() {
    const empty = await emptyDatabase(engine)
    const key = env.SERVICE_KEY ?? readFileSync(join(database.dataDir, 'service.key'), 'utf8').trim()
    return { ...empty, env: { ...empty.env, SERVICE_KEY: key } }
  }

  it('are stored there when they are new, or in the database while storage is away, and deleted a day after their end', async () => {
    const pictures = await startPictures(engine)
    const png = await image().png().toBuffer()
    pictures.sites.set('new-pictures.net', sends(png))
    const worker = pictures.startWorker(undefined, { ...s3.env, STORAGE_URL: env.STORAGE_URL })
    const id = await pictures.list('fresh', 'http://new-pictures.net/1')
    await worker.fetchDue()
    const { bytes, objectName } = await pictures.rowOf(id)
    expect(bytes).toBeNull()
    const isThere = () => objects().some(each => each.includes(objectName ?? '?'))
    expect(isThere()).toBe(true)

    s3.before = request => request.destroy()
    const later = await pictures.list('later', 'http://new-pictures.net/2')
    await worker.fetchDue()
    expect(await pictures.rowOf(later)).toMatchObject({ state: 'stored', bytes: expect.any(Buffer), objectName: null })
    s3.before = () => {}

    // An imported row can name what is no picture, such as a backup.
    const storage = openStorage(configFrom({ ...env }))
    await storage?.put('other', Buffer.from('kept'))
    const foreign = { name: 'other', tryAt: pictures.clock.now }
    await pictures.store.db.insertInto('unused_object').values(foreign).execute()

    await pictures.store.transact(trx => wantPicture(trx, id, null, pictures.clock.now))
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'none', objectName: null })
    pictures.clock.now += DAY_MS - 1
    await worker.fetchDue()
    expect(isThere()).toBe(true)
    pictures.clock.now += MINUTE_MS
    await worker.fetchDue()
    expect(isThere()).toBe(false)
    expect(await storage?.digest('other')).toBeDefined()
    expect(await pictures.store.db.selectFrom('unused_object').selectAll().execute()).toEqual([])

    // A copy of the database, as of a replica that runs for tests, names the objects of the site.
    await worker.fetchDue()
    const shared = await pictures.list('shared', 'http://new-pictures.net/1')
    await worker.fetchDue()
    const named = (await pictures.rowOf(shared)).objectName
    expect(named).toMatch(/^pictures\/local\//)
    await pictures.store.transact(trx => wantPicture(trx, shared, null, pictures.clock.now))
    const storageEnv = { ...s3.env, STORAGE_URL: env.STORAGE_URL }
    const copy = pictures.startWorker(undefined, { ...storageEnv, BASE_URL: 'https://copy.example:8443' })
    pictures.clock.now += DAY_MS + MINUTE_MS
    await copy.fetchDue()
    expect(await storage?.digest(named ?? '')).toBeDefined()
    const own = await pictures.list('own', 'http://new-pictures.net/1')
    await copy.fetchDue()
    expect((await pictures.rowOf(own)).objectName).toMatch(/^pictures\/copy.example_8443\//)

    const kept = pictures.startWorker(undefined, { ...s3.env, STORAGE_URL: `${env.STORAGE_URL}&new=database` })
    const last = await pictures.list('last', 'http://new-pictures.net/3')
    await kept.fetchDue()
    expect(await pictures.rowOf(last)).toMatchObject({ bytes: expect.any(Buffer), objectName: null })
    await pictures.stop()
  })
})
