import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { inTurn } from '../../../src/platform/db/migrate.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import { statement, statementOfRows, together } from '../../../src/platform/db/statement.ts'
import type { Db, Store, Trx } from '../../../src/platform/db/store.ts'
import { MINUTE_MS } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { run, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishAtLast, publishBody } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

/** The smallest table, as an example of all. */
const row = (key: string, totalCents = 1) => ({
  board: 'all',
  destinationKey: key,
  totalCents,
  reachedAt: 1,
  shown: 1,
  listingId: 1,
  category: 'Games',
})
const add = (trx: Trx, key: string, totalCents?: number) =>
  trx.insertInto('board_total').values(row(key, totalCents)).execute()

const readKeys = statement({ board: 'text' }, ({ board }, db) =>
  db.selectFrom('board_total').select('destinationKey').where('board', '=', board).orderBy('destinationKey'),
)
/** What is committed, as hot paths read it. */
async function committed(store: Store): Promise<string[]> {
  return (await readKeys(store, { board: 'all' })).map(each => each.destinationKey)
}

describe.each(ENGINES)('the store on %s', engine => {
  let database: EmptyDatabase
  let stores: Store[]
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    stores = []
  })
  afterEach(async () => {
    await Promise.all(stores.map(store => store.close()))
    await database.remove()
  })

  async function startEmpty(): Promise<void> {
    await database.remove()
    database = await emptyDatabase(engine)
  }

  async function open(): Promise<Store> {
    const store = await database.openStore()
    stores.push(store)
    return store
  }

  async function close(store: Store): Promise<void> {
    stores = stores.filter(each => each !== store)
    await store.close()
  }

  const migrationsOf = async (store: Store) =>
    (await sql<{ name: string; timestamp: string }>`select * from kysely_migration order by name`.execute(store.db))
      .rows

  it('is migrated once, and opened again without harm', async () => {
    await startEmpty()
    const first = await open()
    const migrations = await migrationsOf(first)
    expect(migrations.map(({ name }) => name)).toContain('0001')
    await first.transact(trx => add(trx, 'kept'))
    const beside = await open()
    expect(await migrationsOf(beside)).toEqual(migrations)
    await close(beside)
    await close(first)
    const again = await open()
    expect(await migrationsOf(again)).toEqual(migrations)
    expect(await committed(again)).toEqual(['kept'])
  })

  it('opens in each of several processes that start together on an empty database', {
    tags: ['programs'],
  }, async () => {
    await startEmpty()
    const sites = await startSites()
    const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo, BASE_URL: 'http://127.0.0.1:1' }
    const services = await Promise.all(Array.from({ length: 3 }, () => startProcess(env)))
    // They share one database and one service key: a receipt from one is a receipt from all.
    const credentials = newCredentials()
    const [first, ...others] = services
    const receipt = await publishAtLast(first ?? expect.fail(), credentials, publishBody('http://together.com'))
    expect(receipt.status).toBe(201)
    for (const other of others) {
      const again = await publish(other, credentials, publishBody('http://together.com'))
      expect([again.status, again.body]).toEqual([200, receipt.body])
    }
    expect(await Promise.all(services.map(each => each.end('SIGTERM')))).toEqual([0, 0, 0])
    await sites.close()
  })

  it('refuses an older version once a newer one requires it, and the service exits with that line', {
    tags: ['programs'],
  }, async () => {
    const service = await startProcess({ ...database.env, WORKERS: '2' })
    const store = await open()
    await store.transact(async trx => {
      await sql`insert into kysely_migration (name, timestamp) values ('9999', '2099-01-01T00:00:00.000Z')`.execute(trx)
      await trx.updateTable('oldest_service').set({ schema: '9999', version: '98.7.0-dev' }).execute()
    })
    const line = 'the database has been changed for Placard 98.7.0-dev and later, but this is '
    expect(await service.ended).toBe(1)
    expect(service.output()).toContain(`\nPlacard stops: ${line}`)
    expect(service.output()).not.toContain('a worker died; starting another')
    await close(store)
    await expect(open()).rejects.toThrow(line)
    const commands: [entry: string, args: string[]][] = [
      ['server/bundled/main.js', []],
      ['server/bundled/placard.js', ['list']],
    ]
    for (const [entry, args] of commands) {
      const { ended, output } = run(entry, args, { ...database.env })
      expect([entry, await ended]).toEqual([entry, 1])
      expect(output()).toMatch(/^(Placard cannot start|placard): the database has been changed for [^\n]*\n$/)
    }
  })

  it('is not opened by another line of versions', async () => {
    const store = await open()
    await sql`update kysely_migration set name = '0002-other' where name = '0002'`.execute(store.db)
    await expect(open()).rejects.toThrow(
      'the database cannot be migrated: another line of versions has migrated it: it has 0002-other, but not 0002',
    )
  })

  it('rolls back all statements of a transaction if one of those that began together fails, and says why', async () => {
    const store = await open()
    const put = statement({ key: 'text', totalCents: 'bigint?' }, ({ key, totalCents }, db) =>
      db.insertInto('board_total').values({ ...row('', 1), destinationKey: key, totalCents: totalCents as number }),
    )
    const work = store.transact(trx =>
      together([
        put(trx, { key: 'before', totalCents: 1 }),
        put(trx, { key: 'fails', totalCents: null }),
        put(trx, { key: 'after', totalCents: 1 }),
      ]),
    )
    await expect(work).rejects.toThrow(/null|NULL/)
    expect(await committed(store)).toEqual([])
    await store.transact(trx =>
      together([put(trx, { key: 'one', totalCents: 1 }), put(trx, { key: 'two', totalCents: 1 })]),
    )
    expect(await committed(store)).toEqual(['one', 'two'])
  })

  it('keeps everything through close and open, to the last digit', async () => {
    const store = await open()
    const text = 'ä 日本 😀 \u202e "quoted" \'quoted\' \\ % _'
    await store.transact(trx => add(trx, text, 999_999_999_999_999))
    await close(store)
    const again = await open()
    const rows = await again.db.selectFrom('board_total').selectAll().execute()
    expect(rows).toEqual([row(text, 999_999_999_999_999)])
    expect(await committed(again)).toEqual([text])
  })

  it('answers each of the reads that come together, whatever becomes of the others', async () => {
    const store = await open()
    await store.transact(trx => add(trx, 'there'))
    const wrong = CompiledQuery.raw('select nothing')
    const reads = [committed(store), store.executeQuery(wrong), committed(store)]
    const outcomes = await Promise.allSettled(reads)
    expect(outcomes).toMatchObject([
      { value: ['there'] },
      { reason: { message: expect.stringContaining('nothing') } },
      { value: ['there'] },
    ])
    await store.transact(trx => add(trx, 'too'))
    expect(await committed(store)).toEqual(['there', 'too'])
  })

  describe('transact', () => {
    it('gives what the work returns, and throws the very error it throws', async () => {
      const store = await open()
      expect(await store.transact(async () => 7)).toBe(7)
      expect(await store.transact(async () => undefined)).toBeUndefined()
      const error = new Error('mine')
      await expect(store.transact(() => Promise.reject(error))).rejects.toBe(error)
    })

    it('undoes a failing transaction, and only that one, whatever runs at the same time', async () => {
      const store = await open()
      // More than there are connections, and few enough that none waits too long for one on a busy machine.
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) =>
          store.transact(async trx => {
            await add(trx, `half-${index}`)
            if (index % 3 === 0) throw new Error(`no ${index}`)
            // A statement that the database itself refuses: the row is there already.
            if (index % 3 === 1) await add(trx, `half-${index}`)
            await add(trx, `whole-${index}`)
            return index
          }),
        ),
      )
      const survivors = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []))
      expect(survivors).toEqual(Array.from({ length: 20 }, (_, index) => index * 3 + 2))
      expect((await committed(store)).sort()).toEqual(
        survivors.flatMap(index => [`half-${index}`, `whole-${index}`]).sort(),
      )
      expect(outcomes[0]).toMatchObject({ reason: new Error('no 0') })
    })

    it('reports no outcome before others can see it', async () => {
      const store = await open()
      const other = await open()
      const seen = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const key = `seen-${index}`
          await store.transact(trx => add(trx, key))
          return (await committed(other)).includes(key)
        }),
      )
      expect(seen).toEqual(Array.from({ length: 100 }, () => true))
    })

    it('hides uncommitted writes, even from reads in its own process', async () => {
      const store = await open()
      await store.transact(trx => add(trx, 'before'))
      const during = await store.transact(async trx => {
        await add(trx, 'new')
        await trx.deleteFrom('board_total').where('destinationKey', '=', 'before').execute()
        return committed(store)
      })
      expect(during).toEqual(['before'])
      expect(await committed(store)).toEqual(['new'])
      await store
        .transact(async trx => {
          await add(trx, 'undone')
          throw new Error('no')
        })
        .catch(() => {})
      expect(await committed(store)).toEqual(['new'])
    })

    it('lets a transaction read what it has written itself, and what was committed before it', async () => {
      const store = await open()
      await store.transact(trx => add(trx, 'a'))
      const keys = await store.transact(async trx => {
        await add(trx, 'b')
        return trx.selectFrom('board_total').select('destinationKey').orderBy('destinationKey').execute()
      })
      expect(keys.map(each => each.destinationKey)).toEqual(['a', 'b'])
    })

    it('loses no update of two processes that write at once', async () => {
      const [one, other] = [await open(), await open()]
      await one.transact(trx => add(trx, 'sum', 0))
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          (index % 2 ? one : other).transact(trx =>
            trx
              .updateTable('board_total')
              .set(eb => ({ totalCents: eb('totalCents', '+', 1) }))
              .execute(),
          ),
        ),
      )
      expect(await one.db.selectFrom('board_total').select('totalCents').execute()).toEqual([{ totalCents: 100 }])
    })
  })

  it('runs a statement with the parameters of each call, on the store of each call', async () => {
    const [one, other] = [await open(), await open()]
    await one.transact(trx =>
      trx
        .insertInto('board_total')
        .values({ ...row('x'), board: 'today' })
        .execute(),
    )
    expect(await readKeys(one, { board: 'today' })).toEqual([{ destinationKey: 'x' }])
    expect(await readKeys(one, { board: 'all' })).toEqual([])
    expect(await readKeys(other, { board: 'today' })).toEqual([{ destinationKey: 'x' }])
    await close(other)
    expect(await readKeys(one, { board: 'today' })).toEqual([{ destinationKey: 'x' }])
  })

  it('runs one statement on what is committed, and within a transaction on what that has written', async () => {
    const store = await open()
    await store.transact(async trx => {
      await add(trx, 'x')
      expect(await readKeys(trx, { board: 'all' })).toEqual([{ destinationKey: 'x' }])
      expect(await readKeys(store, { board: 'all' })).toEqual([])
    })
    expect(await readKeys(store, { board: 'all' })).toEqual([{ destinationKey: 'x' }])
  })

  it('binds each parameter wherever it occurs, with its type, beside a statement’s own values', async () => {
    const store = await open()
    const echo = statement(
      { text: 'text', number: 'bigint', nothing: 'text?', none: 'bigint?' },
      ({ text, number, nothing, none }) =>
        sql`select ${number} as a, ${text} as b, ${number} / 2 as c, cast(${4} as bigint) as d, ${nothing} as e, ${none} as f`,
    )
    const number = Number.MAX_SAFE_INTEGER
    const half = (number - 1) / 2
    expect(await echo(store, { text: '1', number, nothing: null, none: null })).toEqual([
      { a: number, b: '1', c: half, d: 4, e: null, f: null },
    ])
    expect(await echo(store, { text: 'two', number: 2, nothing: '', none: 0 })).toEqual([
      { a: 2, b: 'two', c: 1, d: 4, e: '', f: 0 },
    ])
  })

  it('runs a statement of rows with any number of them', async () => {
    const store = await open()
    const addRows = statementOfRows({ destinationKey: 'text', totalCents: 'bigint' }, (rows, db) =>
      db.insertInto('board_total').values(rows.map(each => ({ ...row(''), ...each }))),
    )
    const rows = (...keys: string[]) => keys.map((destinationKey, totalCents) => ({ destinationKey, totalCents }))
    for (const some of [rows('a', 'b'), rows('c'), rows('d', 'e')]) {
      await store.transact(trx => addRows(trx, some))
    }
    expect(await committed(store)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})

describe('the group commit of SQLite', () => {
  let database: EmptyDatabase
  let store: Store
  beforeEach(async () => {
    database = await migratedDatabase('sqlite')
    store = await database.openStore()
  })
  afterEach(async () => {
    await store.close()
    await database.remove()
  })

  it('runs transactions in the order of arrival, and reports their outcomes in that order', async () => {
    const told: number[] = []
    const ran: number[] = []
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await store
          .transact(async trx => {
            ran.push(index)
            await add(trx, String(index).padStart(3, '0'))
            if (index % 5 === 0) throw new Error('no')
          })
          .catch(() => {})
        told.push(index)
      }),
    )
    const order = Array.from({ length: 200 }, (_, index) => index)
    expect(ran).toEqual(order)
    expect(told).toEqual(order)
    expect(await committed(store)).toHaveLength(160)
  })

  it('accepts transactions while others are open, even from within one', async () => {
    let inner: Promise<unknown> = Promise.resolve()
    await store.transact(async trx => {
      await add(trx, 'outer')
      inner = store.transact(later => add(later, 'inner'))
    })
    await inner
    expect(await committed(store)).toEqual(['inner', 'outer'])
  })

  it('fails the whole group if its commit fails, and keeps working', async () => {
    // Foreign keys that are checked only at the end make the commit itself fail.
    const orphan = async (trx: Trx) => {
      await sql`pragma defer_foreign_keys = on`.execute(trx)
      await trx.insertInto('renewed_link').values({ claimId: 'nobody', linkVersion: 1, keyCheckValue: 'x' }).execute()
    }
    const outcomes = await Promise.allSettled([
      store.transact(trx => add(trx, 'a')),
      store.transact(orphan),
      store.transact(trx => add(trx, 'b')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await committed(store)).toEqual([])
    await store.transact(trx => add(trx, 'c'))
    expect(await committed(store)).toEqual(['c'])
  })

  it('fails the whole group if its transaction ends early, and names the failure of the disk that ended it', async () => {
    const failAs = (error: Error) =>
      Promise.allSettled([
        store.transact(trx => add(trx, 'a')),
        store.transact(async trx => {
          // As SQLite does by itself when the disk fails.
          await sql`rollback`.execute(trx)
          throw error
        }),
        store.transact(trx => add(trx, 'b')),
      ])
    const full = new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    const reasonsOf = async (error: Error) =>
      (await failAs(error)).map(each => each.status === 'rejected' && each.reason.message)
    expect(await reasonsOf(full)).toEqual(Array(3).fill(full.message))
    expect(await reasonsOf(new Error('ours'))).toEqual(Array(3).fill('no such savepoint: job'))
    expect(await committed(store)).toEqual([])
  })
})

describe('PostgreSQL', { tags: ['postgres'] }, () => {
  it('takes no writes for a while once its disk was full, though small ones may still succeed', async () => {
    const database = await migratedDatabase('postgres')
    const store = await database.openStore()
    await store.proveWrite()
    const full = Object.assign(new Error('could not extend file'), { code: '53100' })
    await expect(store.transact(() => Promise.reject(full))).rejects.toBe(full)
    await expect(store.proveWrite()).rejects.toBe(full)
    const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + MINUTE_MS)
    await store.proveWrite().finally(() => later.mockRestore())
    await database.remove()
  })

  it('ends slow statements of a request, and lets an operator and a migration take their time', async () => {
    const database = await migratedDatabase('postgres')
    const limitOf = async (patient: boolean) => {
      const store = await openStore({ ...configFrom(database.env), patient })
      const { rows } = await sql`show statement_timeout`.execute(store.db)
      await store.close()
      return rows
    }
    expect(await limitOf(false)).toEqual([{ statement_timeout: '10s' }])
    expect(await limitOf(true)).toEqual([{ statement_timeout: '0' }])
    await database.remove()
  })
})

/** Keeps a transaction open on a database that has no log yet. */
const WRITES_A_MOMENT = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('better-sqlite3'))(workerData)
  database.exec('begin immediate')
  parentPort.postMessage('writing')
  setTimeout(() => {
    database.exec('commit')
    database.close()
  }, 300)`

describe('the SQLite file', () => {
  it('is synced at every commit, keeps its log beside it, and watches foreign keys', async () => {
    const database = await emptyDatabase('sqlite')
    const store = await database.openStore()
    const pragma = async (name: string) =>
      Object.values((await sql.raw(`pragma ${name}`).execute(store.db)).rows[0] ?? {})
    expect(await pragma('synchronous')).toEqual([2])
    expect(await pragma('journal_mode')).toEqual(['wal'])
    expect(await pragma('foreign_keys')).toEqual([1])
    // It stays so for everybody who opens the file: format version 2 means WAL.
    expect([...readFileSync(join(database.dataDir, 'placard.db')).subarray(18, 20)]).toEqual([2, 2])
    await store.close()
    await database.remove()
  })

  it('keeps what a savepoint undoes in memory, but not what a migration rewrites', async () => {
    const database = await migratedDatabase('sqlite')
    const store = await database.openStore()
    const tempStore = async (db: Db) => (await sql`pragma temp_store`.execute(db)).rows
    const [file, memory] = [[{ temp_store: 1 }], [{ temp_store: 2 }]]
    expect(await store.transact(tempStore)).toEqual(memory)
    // Twice, since an import takes several turns.
    for (let turn = 0; turn < 2; turn++) expect(await inTurn(store, tempStore)).toEqual(file)
    expect(await store.transact(tempStore)).toEqual(memory)
    await store.close()
    await database.remove()
  })

  it('opens while another process writes to a new one, once that has committed', async () => {
    const database = await emptyDatabase('sqlite')
    mkdirSync(database.dataDir, { recursive: true })
    const workerData = join(database.dataDir, 'placard.db')
    const writer = new Worker(WRITES_A_MOMENT, { eval: true, workerData })
    const ended = once(writer, 'exit')
    await once(writer, 'message')
    await using store = await database.openStore()
    expect(store.engine).toBe('sqlite')
    await ended
    await database.remove()
  })

  it('is whole in one file after it was closed', async () => {
    const database = await emptyDatabase('sqlite')
    const store = await database.openStore()
    await store.transact(trx => add(trx, 'a'))
    await store.close()
    expect(() => readFileSync(join(database.dataDir, 'placard.db-wal'))).toThrow('ENOENT')
    const copy = await emptyDatabase('sqlite')
    copyFileSync(join(database.dataDir, 'placard.db'), join(copy.dataDir, 'placard.db'))
    const opened = await copy.openStore()
    expect(await committed(opened)).toEqual(['a'])
    await opened.close()
    await copy.remove()
    await database.remove()
  })

  it('cannot be written by what hot paths read with', async () => {
    const database = await migratedDatabase('sqlite')
    const store = await database.openStore()
    const write = statement({ board: 'text' }, ({ board }, db) =>
      db.deleteFrom('board_total').where('board', '=', board),
    )
    await expect(write(store, { board: 'all' })).rejects.toThrow()
    await store.close()
    await database.remove()
  })
})
