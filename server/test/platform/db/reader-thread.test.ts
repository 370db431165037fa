import { copyFileSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { search } from '../../../src/domain/listings/search.ts'
import { databaseFile } from '../../../src/platform/db/data-folder.ts'
import { isStoreFailure } from '../../../src/platform/db/failures.ts'
import { OpenFiles } from '../../../src/platform/db/sqlite-files.ts'
import { ReaderThread } from '../../../src/platform/db/sqlite-read-thread.ts'
import { readingFor, type Store } from '../../../src/platform/db/store.ts'
import { networksOf } from '../../../src/platform/http/client-address.ts'
import { readProductSitemap } from '../../../src/web/browse/sitemap.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { countLong, countShort, endThread, newGate, open, readNothing, waitAtGate } from '../../support/long-reads.ts'
import { NOON } from '../../support/service.ts'

const script = fileURLToPath(new URL('../../support/long-reads-process.ts', import.meta.url))

let database: EmptyDatabase
let store: Store
let thread: ReaderThread
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
  const opened = await database.openStore()
  thread = threadOf()
  store = { ...opened, onThread: (task, by) => thread.read(task, by) }
})
afterEach(async () => {
  await thread.close()
  await database.remove()
})

/** By default, one that never gives up, however long the machine takes to start it. */
function threadOf({ readMaxMs = 240_000 } = {}): ReaderThread {
  const path = databaseFile(database.dataDir)
  return new ReaderThread(path, new OpenFiles(path, [`${path}-wal`, `${path}-shm`]), { script, readMaxMs })
}

const found = () => search(store, { words: 'sourdough', now: NOON, limit: 10 })
const listed = () => store.db.selectFrom('listing').select('slug').execute()
const add = () =>
  store.transact(trx =>
    trx
      .insertInto('listing')
      .values(listingRow({ slug: 'bakery-com', title: 'Sourdough' }))
      .execute(),
  )

describe('a long read on SQLite', () => {
  it('blocks no other read and no write, only the long reads after it', async () => {
    const gate = newGate()
    const ended: string[] = []
    const waiting = waitAtGate(store, gate).then(result => ended.push(result))
    const searched = found().then(({ rows }) => ended.push(...rows.map(({ title }) => title)))
    await add()
    expect(await listed()).toHaveLength(1)
    expect(ended).toEqual([])
    open(gate)
    await Promise.all([waiting, searched])
    expect(ended).toEqual(['through', 'Sourdough'])
  })

  it('of one network does not keep others waiting, and searches keep no other read waiting', async () => {
    const gate = newGate()
    const ended: string[] = []
    const blocking = waitAtGate(store, gate)
    // More than may wait, all from one /56.
    const flood = Array.from({ length: 260 }, (_, nth) =>
      search(readingFor(store, networksOf(`2001:db8:0:1${(nth % 100).toString().padStart(2, '0')}::1`)), {
        words: 'sourdough',
        now: NOON,
        limit: 10,
      }).then(
        () => ended.push('flood'),
        () => ended.push('refused'),
      ),
    )
    const mine = search(readingFor(store, networksOf('198.51.100.7')), {
      words: 'sourdough',
      now: NOON,
      limit: 10,
    }).then(() => ended.push('mine'))
    const sitemap = readProductSitemap(store, { base: 'https://placard.example', number: 1, now: NOON }).then(() =>
      ended.push('sitemap'),
    )
    open(gate)
    await Promise.all([blocking, ...flood, mine, sitemap])
    const done = ended.filter(name => name !== 'refused')
    expect(done.length).toBeLessThan(260)
    // After the reads that the thread had already, and at most one more of that network.
    expect(done.indexOf('sitemap')).toBeLessThan(8)
    expect(done.indexOf('mine')).toBeLessThan(8)
  })

  it('fails when its thread ends, and the next one gets a new thread', async () => {
    await add()
    expect((await found()).rows).toHaveLength(1)
    const failed = await endThread(store, undefined).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'ReaderFailed' })
    expect(isStoreFailure(failed)).toBe(true)
    expect((await found()).rows).toHaveLength(1)
  })

  it('fails as it would have here, by name and code', async () => {
    const failed = await readNothing(store, undefined).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      name: 'SqliteError',
      code: 'SQLITE_ERROR',
      message: 'no such table: nowhere',
    })
    expect(isStoreFailure(failed)).toBe(false)
  })

  it('fails when the store closes, which leaves no log behind', async () => {
    await add()
    const reading = expect(waitAtGate(store, newGate())).rejects.toThrow('the store is closing')
    await thread.close()
    await store.close()
    await reading
    expect(readdirSync(database.dataDir).filter(name => name.startsWith('placard.db'))).toEqual(['placard.db'])
  })

  it('reads no other file than the one that is written, even if its thread opens it later', async () => {
    await add()
    const path = databaseFile(database.dataDir)
    copyFileSync(path, join(database.dataDir, 'copy'))
    renameSync(path, join(database.dataDir, 'moved'))
    renameSync(join(database.dataDir, 'copy'), path)
    await expect(found()).rejects.toThrow('was moved, deleted or replaced')
  })

  it('is given up when it takes too long, and the next one is done once its statement has ended', async () => {
    await thread.close()
    thread = threadOf({ readMaxMs: 20 })
    await expect(countLong(store, undefined)).rejects.toThrow('took over 20 ms')
    await expect(countShort(store, undefined)).rejects.toThrow('is ending')
    await thread.close()
    thread = threadOf()
    expect(await countShort(store, undefined)).toEqual([{ n: 10 }])
  })
})
