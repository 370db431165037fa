import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { databaseFile } from '../../../src/platform/db/data-folder.ts'
import { isStoreFailure } from '../../../src/platform/db/failures.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import { openReader, togetherOn } from '../../../src/platform/db/sqlite-connection.ts'
import { DatabaseNotSynced, OpenFiles } from '../../../src/platform/db/sqlite-files.ts'
import { LogSync } from '../../../src/platform/db/sqlite-log-sync.ts'
import type { Db, Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'

let database: EmptyDatabase
let store: Store
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
  store = await openStore({ ...configFrom(database.env), isAlone: true })
})
afterEach(async () => {
  await store.close()
  await database.remove()
})

const add = (slug: string) =>
  store.transact(trx =>
    trx
      .insertInto('listing')
      .values(listingRow({ slug }))
      .execute()
      .then(() => {}),
  )
const countOf = (db: Db) => db.selectFrom('listing').select(db.fn.countAll<number>().as('count'))

describe('a commit of the only process on SQLite', () => {
  it('is visible when it is reported, to each kind of read', async () => {
    for (let nth = 1; nth <= 20; nth++) {
      await add(`site-${nth}-com`)
      const query = countOf(store.db)
      const { rows } = await store.executeQuery(query.compile())
      expect([rows, await query.execute()]).toEqual([[{ count: nth }], [{ count: nth }]])
    }
  })

  it('is invisible until it is on disk', async () => {
    const onDisk = Promise.withResolvers<void>()
    let underWay: Promise<unknown> | undefined = onDisk.promise
    const reader = openReader(databaseFile(database.dataDir))
    const reads = togetherOn(reader, () => {}, {
      get underWay() {
        return underWay
      },
    })
    const answered: number[] = []
    const read = reads.executeQuery<{ count: number }>(countOf(store.db).compile())
    const reading = read.then(({ rows }) => answered.push(rows[0]?.count ?? -1))
    await add('bakery-com')
    expect(answered).toEqual([])
    underWay = undefined
    onDisk.resolve()
    await reading
    expect(answered).toEqual([1])
    reader.close()
  })

  it('is synced by SQLite unless it is a transaction', async () => {
    const levelOf = async (db: Db) => (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]
    const [normal, full] = [{ synchronous: 1 }, { synchronous: 2 }]
    expect([await levelOf(store.db), await store.transact(levelOf), await levelOf(store.db)]).toEqual([
      full,
      normal,
      full,
    ])
    const failed = store.db.transaction().execute(() => Promise.reject(new Error('undone')))
    await expect(failed).rejects.toThrow('undone')
    expect(await levelOf(store.db)).toEqual(full)
  })

  it('is refused, with everything after it, once the disk did not confirm one', async () => {
    const path = databaseFile(database.dataDir)
    const files = new OpenFiles(path, [])
    // A device that cannot be synced.
    const log = new LogSync('/dev/null', files)
    const commits: string[] = []
    const failed = await log.commit(async () => void commits.push('first')).catch((error: unknown) => error)
    expect([failed, isStoreFailure(failed), log.underWay, commits]).toEqual([
      expect.any(DatabaseNotSynced),
      true,
      undefined,
      ['first'],
    ])
    expect(() => files.check()).toThrow('the disk did not confirm a write')
    expect(() => files.checkNowAndThen()).toThrow('restart the service')
    log.close()
  })

  it('is reported as its own failure if it was not even written', async () => {
    const files = new OpenFiles(databaseFile(database.dataDir), [])
    const log = new LogSync(join(database.dataDir, 'placard.db-wal'), files)
    await expect(log.commit(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
    expect(() => files.check()).not.toThrow()
    log.close()
  })
})
