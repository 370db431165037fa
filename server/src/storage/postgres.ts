import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresDialectConfig, PostgresDriver, sql } from 'kysely'
import pg from 'pg'
import type { Database } from './schema.ts'
import { createLedgerQueue, type Store } from './store.ts'

/** Statements that take longer are ended by the server, so that a stuck one cannot hold a request for ever. */
const STATEMENT_TIMEOUT_MS = 10_000
/** The longest wait for a lock that others hold: shorter, so that who waited in vain can be told from what is stuck. */
const LOCK_TIMEOUT_MS = 8_000
const CONNECT_TIMEOUT_MS = 5_000
/** PostgreSQL's code for it, and how long after one such failure writes are taken to fail. */
const DISK_FULL = '53100'
const FULL_FOR_MS = 10_000
/** Longer than any statement may take, and than the pool keeps a connection that nobody uses (10 s). */
const SILENCE_MAX_MS = STATEMENT_TIMEOUT_MS + 2_000

/** The most connections one instance opens for each. Readers have their own, so that no line of writers holds them up. */
const READERS_MAX = 10
const WRITERS_MAX = 10

/**
 * Opens PostgreSQL: connections for reads, and others for transactions. Connects on first use.
 *
 * @param patient for work that nobody waits for at a browser, and that takes as long as it takes
 */
export function openPostgres(databaseUrl: string, { patient }: { patient: boolean }): Store {
  const open = (max: number) =>
    new Kysely<Database>({
      dialect: new CauseKeepingPostgresDialect({ pool: openPool(databaseUrl, { patient, max }) }),
    })
  const db = open(READERS_MAX)
  const writer = open(WRITERS_MAX)
  let full: { error: unknown; at: number } | undefined
  return {
    engine: 'postgres',
    db,
    executeQuery: query => db.executeQuery(query),
    async transact(work) {
      try {
        return await writer
          .transaction()
          .execute(begun => work(Object.assign(begun, { engine: 'postgres' as const })))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === DISK_FULL) full = { error, at: performance.now() }
        throw error
      }
    },
    // Each would hold a connection and wait for the lock, so one does.
    ledgerQueue: createLedgerQueue(1),
    async proveWrite() {
      // A small write finds room in a table for long after larger ones have failed.
      if (full && performance.now() - full.at < FULL_FOR_MS) throw full.error
      await writer.transaction().execute(trx => writeProbe.execute(trx))
    },
    async close() {
      await Promise.all([db.destroy(), writer.destroy()])
    },
  }
}

function openPool(databaseUrl: string, { patient, max }: { patient: boolean; max: number }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!patient && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      stream: socketThatGivesUp,
    }),
    application_name: 'placard',
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  })
  // A connection that breaks is replaced on next use, and whoever was using it hears of it from the query. Without
  // these listeners, of the pool for idle connections and of each for those in use, it would end the process.
  pool.on('error', () => {})
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

const writeProbe = sql`insert into write_probe (id, filler) values (1, '')
  on conflict (id) do update set filler = excluded.filler`

class CauseKeepingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): PostgresDriver {
    return new CauseKeepingPostgresDriver(this.#config)
  }
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0]

class CauseKeepingPostgresDriver extends PostgresDriver {
  /** Where the connection broke, this fails too, and would hide what the transaction failed with. */
  override async rollbackTransaction(connection: Connection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

/**
 * A server that hangs, or is cut off, closes nothing: its statement timeout cannot come either. So the connection ends from
 * this side once nothing was sent or heard for too long, and with it the query that waits on it.
 */
function socketThatGivesUp(): Socket {
  const socket = new Socket()
  return socket.setTimeout(SILENCE_MAX_MS, () => void socket.destroy())
}

/** bigint columns hold milliseconds, cents and row ids: all far below 2^53, so a number carries them exactly. */
const INT8 = pg.types.builtins.INT8
