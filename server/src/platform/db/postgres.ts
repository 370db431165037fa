import { Socket } from 'node:net'
import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pg from 'pg'
import type { Use } from '../lib/diagnostics.ts'
import { clientsFor } from './postgres-hosts.ts'
import { PreparedStatements } from './statement.ts'
import { createLedgerQueue, type Store } from './store.ts'
import type { Database } from './tables/index.ts'

/** The server ends statements that take longer, so that a stuck one cannot block a request forever. */
export const STATEMENT_TIMEOUT_MS = 10_000
/** The longest wait for a lock. It is shorter, so that a lock can be distinguished from a stuck statement. */
const LOCK_TIMEOUT_MS = 8_000
export const CONNECT_TIMEOUT_MS = 5_000
/** The timeouts that a connection sets when it starts. */
export const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const

/** PostgreSQL's code for a full disk, and how long after one such failure all writes are refused. */
const DISK_FULL = '53100'
const FULL_FOR_MS = 10_000
/** Longer than any statement may take, and than the pool keeps an unused connection (10 s). */
const SILENCE_MAX_MS = STATEMENT_TIMEOUT_MS + 2_000

/**
 * The maximum number of connections per instance, for each kind. Readers have their own, so that no queue of writers
 * delays them.
 */
const READERS_MAX = 10
const WRITERS_MAX = 10

/**
 * Opens PostgreSQL: connections for reads, and others for transactions. Connects on first use.
 *
 * @param patient for work without a waiting visitor, which may take as long as it needs
 */
export function openPostgres(databaseUrl: string, { patient }: { patient: boolean }): Store {
  const open = (pool: PostgresPool) => new Kysely<Database>({ dialect: dialectOn(pool) })
  const clients = clientsFor(databaseUrl)
  const prepared = new PreparedStatements()
  const onConnect: pg.PoolConfig['onConnect'] = client => prepared.inspect(client as pg.PoolClient)
  const readers = openPool(clients, { patient, max: READERS_MAX, onConnect })
  const writers = openPool(clients, { patient, max: WRITERS_MAX, onConnect, pipeline: true })
  const db = open(readers)
  const writer = open({
    options: writers.options,
    connect: async () => sender(await writers.connect(), prepared),
    end: () => writers.end(),
  })
  let full: { error: unknown; at: number } | undefined
  return {
    engine: 'postgres',
    address: { engine: 'postgres', at: databaseUrl },
    db,
    // Kysely would take several turns of the event loop for each, as on SQLite.
    async executeQuery<Row>({ sql: text, parameters }: CompiledQuery<Row>) {
      const { rows } = await readers.query<Row & pg.QueryResultRow>(prepared.query(text, parameters))
      return { rows }
    },
    onThread: undefined,
    async transact(work) {
      try {
        return await writer.transaction().execute(async begun => {
          // Kysely would send each statement only when it has the result of the last.
          const connection = await begun.getExecutor().provideConnection(async it => it)
          const executeQuery = <Row>(query: CompiledQuery<Row>) => connection.executeQuery<Row>(query)
          return work(Object.assign(begun, { engine: 'postgres' as const, executeQuery }))
        })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === DISK_FULL) full = { error, at: performance.now() }
        throw error
      }
    },
    // Each transaction would hold a connection while it waits for the lock, so only one does.
    ledgerQueue: createLedgerQueue(1),
    async proveWrite() {
      // On a full disk, small writes still find space in a table long after larger ones fail.
      if (full && performance.now() - full.at < FULL_FOR_MS) throw full.error
      await writer.transaction().execute(trx => writeProbe.execute(trx))
    },
    pools: () => ({ postgres_reads: useOf(readers), postgres_writes: useOf(writers) }),
    async close() {
      await Promise.all([db.destroy(), writer.destroy()])
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/**
 * Returns whether the server ends stuck statements: a connection pool may have dropped the timeouts of the connections.
 */
export async function endsStuckStatements({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const { rows } = await sql<{ isSet: boolean }>`
    select bool_and(setting <> '0') as "isSet" from pg_settings where name in (${sql.join(TIMEOUTS)})`.execute(db)
  return rows[0]?.isSet === true
}

/** Returns what to do if PostgreSQL acknowledges commits before they are on disk. */
export async function durabilityFault({ db }: Pick<Store, 'db'>): Promise<string | undefined> {
  const { rows } = await sql<{ isOff: boolean }>`
    select current_setting('synchronous_commit') = 'off' as "isOff"`.execute(db)
  return rows[0]?.isOff
    ? 'synchronous_commit of PostgreSQL is off, so a power cut can lose receipts and payments: set it to on with ALTER DATABASE or ALTER ROLE'
    : undefined
}

const useOf = ({ totalCount, idleCount, waitingCount }: pg.Pool): Use => ({
  busy: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
})

function openPool(
  { Client, connectionString }: ReturnType<typeof clientsFor>,
  { patient, ...options }: { patient: boolean } & pg.PoolConfig,
): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString,
    ...options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!patient && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      stream: socketThatGivesUp,
    }),
    application_name: 'placard',
    types: TYPES,
  })
  // A broken connection is replaced on next use, and its query reports the error. Without these listeners, on the pool for idle connections and on each connection in use, it would end the process.
  pool.on('error', () => {})
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

const writeProbe = sql`insert into write_probe (id, filler) values (1, '')
  on conflict (id) do update set filler = excluded.filler`

/**
 * Sends the statements of one turn of the event loop together, and `begin` with the first of them: sending and receiving
 * costs more than a small statement. If `begin` fails, the server skips that statement, so it is never committed alone.
 * The driver would count that statement as prepared as soon as `begin` is, so it gets no name.
 */
function sender(client: pg.PoolClient, prepared: PreparedStatements): PostgresPoolClient {
  const { connection } = client
  let begins = false
  async function query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (text === 'begin') {
      begins = true
      return { rows: [] } as unknown as pg.QueryResult
    }
    connection.stream.cork()
    process.nextTick(() => connection.stream.uncork())
    if (!begins) return client.query(prepared.query(text, values))
    begins = false
    // Without the message that ends a statement, so the server takes both as one.
    connection.parse({ name: '', text: 'begin', types: [] }, true)
    connection.bind({}, true)
    connection.execute({}, true)
    const first = { text, values, queryMode: 'extended' }
    const results = (await client.query(first)) as unknown as pg.QueryResult[]
    return results.at(-1) as pg.QueryResult
  }
  return { query: query as unknown as PostgresPoolClient['query'], release: destroy => client.release(destroy) }
}

const dialectOn = (pool: PostgresPool): PostgresDialect =>
  Object.assign(new PostgresDialect({ pool }), {
    createAdapter: () => new SessionlessPostgresAdapter(),
    createDriver: () => new CauseKeepingPostgresDriver({ pool }),
  })

/**
 * The lock of Kysely's migrator outlives its transaction, and a connection pool could then hold it permanently.
 * `open.ts` uses another lock.
 */
class SessionlessPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0]

class CauseKeepingPostgresDriver extends PostgresDriver {
  /** On a broken connection, rollback fails, too, and would hide the transaction's own error. */
  override async rollbackTransaction(connection: Connection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

/**
 * A server that hangs or is unreachable closes nothing, and its statement timeout never arrives. So the connection is
 * closed after too long a silence, and with it the waiting query.
 */
function socketThatGivesUp(): Socket {
  const socket = new Socket()
  return socket.setTimeout(SILENCE_MAX_MS, () => void socket.destroy())
}

/** bigint columns contain milliseconds, cents and row ids: all far below 2^53, so a number is exact. */
const INT8 = pg.types.builtins.INT8

/** How the values of columns are parsed. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
}
