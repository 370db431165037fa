// @module-tag postgres
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isStoreFailure } from '../../../src/platform/db/failures.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { statement, statementOfRows } from '../../../src/platform/db/statement.ts'
import type { Runner } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'

const totalOf = statement({ key: 'text' }, ({ key }, db) =>
  db.selectFrom('board_total').select('totalCents').where('destinationKey', '=', key),
)
const countsOf = statement({ key: 'text' }, ({ key }, db) =>
  db
    .selectFrom('board_total')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('destinationKey', '=', key),
)
const anyOf = statementOfRows({ key: 'text' }, (rows, db) =>
  db
    .selectFrom('board_total')
    .select('totalCents')
    .where(
      'destinationKey',
      'in',
      rows.map(({ key }) => key),
    ),
)
const rowOf = statement({ id: 'bigint' }, ({ id }, db) => db.selectFrom('write_probe').selectAll().where('id', '=', id))

const PREPARED = CompiledQuery.raw(
  'select statement, (generic_plans + custom_plans)::int as used from pg_prepared_statements order by prepare_time',
)

describe('statements of hot paths on PostgreSQL', () => {
  let database: EmptyDatabase
  beforeEach(async () => {
    database = await migratedDatabase('postgres')
  })
  afterEach(() => database.remove())

  /** The first connection shows whether there is a pooler, so what it was opened for is not prepared. */
  async function open(url = database.env.DATABASE_URL ?? '', options = { patient: false }) {
    const store = openPostgres(url, options)
    onTestFinished(() => store.close())
    await store.proveWrite()
    await store.executeQuery(PREPARED)
    return store
  }
  /** Of the connection that was used last, which is the next one to be used. */
  const preparedOn = async (runner: Runner) => (await runner.executeQuery(PREPARED)).rows

  it('are prepared once per connection, for reads and in transactions', async () => {
    const store = await open()
    await totalOf(store, { key: 'tea' })
    await countsOf(store, { key: 'tea' })
    await totalOf(store, { key: 'pie' })
    expect(await preparedOn(store)).toEqual([
      { statement: expect.stringContaining('"totalCents"'), used: 2 },
      { statement: expect.stringContaining('count(*)'), used: 1 },
    ])
    for (const key of ['tea', 'pie', 'jam']) {
      await store.transact(async trx => {
        await sql`select 1`.execute(trx)
        await Promise.all([totalOf(trx, { key }), totalOf(trx, { key })])
      })
    }
    expect(await store.transact(preparedOn)).toEqual([{ statement: expect.stringContaining('"totalCents"'), used: 6 }])
  })

  it('are not prepared for many rows, of which each number is a statement', async () => {
    const store = await open()
    const rows = Array.from({ length: 33 }, (_, nth) => ({ key: `k${nth}` }))
    await anyOf(store, rows)
    expect(await preparedOn(store)).toEqual([])
    await anyOf(store, rows.slice(1))
    expect(await preparedOn(store)).toHaveLength(1)
  })

  it('are not prepared for all columns, so they outlive a migration that adds one', async () => {
    const store = await open()
    expect(await rowOf(store, { id: 1 })).toMatchObject([{ id: 1 }])
    await sql`alter table write_probe add column newer text`.execute(store.db)
    expect(await rowOf(store, { id: 1 })).toMatchObject([{ id: 1, newer: null }])
    expect(await preparedOn(store)).toEqual([])
  })

  it('are not prepared behind a pooler, which gives clients process ids of its own', async () => {
    const store = await open(await startPooler())
    await totalOf(store, { key: 'tea' })
    expect(await preparedOn(store)).toEqual([])
  })

  it('fail once where a pooler that does not show has lost one, and then run without', async () => {
    const store = await open()
    await totalOf(store, { key: 'tea' })
    await store.executeQuery(CompiledQuery.raw('deallocate all'))
    const error = await totalOf(store, { key: 'tea' }).catch(thrown => thrown)
    expect(error).toMatchObject({ code: '26000' })
    expect(isStoreFailure(error)).toBe(true)
    expect(await totalOf(store, { key: 'tea' })).toEqual([])
    expect(await store.transact(trx => totalOf(trx, { key: 'tea' }))).toEqual([])
    expect(await preparedOn(store)).toEqual([])
  })

  it('are prepared later if they were the first of a transaction, and failed', async () => {
    const url = new URL(database.env.DATABASE_URL ?? '')
    url.searchParams.set('options', '-c lock_timeout=50')
    const store = await open(url.href, { patient: true })
    const other = await open()
    await other.transact(async trx => {
      await sql`lock table board_total in access exclusive mode`.execute(trx)
      const failed = store.transact(blocked => totalOf(blocked, { key: 'tea' }))
      await expect(failed).rejects.toMatchObject({ code: '55P03' })
    })
    const prepared = await store.transact(async trx => {
      await sql`select 1`.execute(trx)
      await totalOf(trx, { key: 'tea' })
      return preparedOn(trx)
    })
    expect(prepared).toMatchObject([{ used: 1 }])
  })

  /** Starts what a client sees of a pooler: the id of a process that is not the server's. */
  async function startPooler(): Promise<string> {
    const url = new URL(database.env.DATABASE_URL ?? '')
    const { port, hostname } = url
    const server = createServer(client => {
      const upstream = connect(Number(port), hostname)
      client.pipe(upstream)
      upstream.on('data', piece => {
        // BackendKeyData: its type, its length of 12, the process id, a secret.
        const at = piece.indexOf('K\0\0\0\x0c')
        if (at >= 0) piece.writeInt32BE(piece.readInt32BE(at + 5) + 1, at + 5)
        client.write(piece)
      })
      for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
        one.on('error', () => {}).on('close', () => other.destroy())
      }
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    url.port = `${(server.address() as AddressInfo).port}`
    return url.href
  }
})
