import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import type { Use } from '../lib/diagnostics.ts'
import { createSlots, type Slots } from '../lib/slots.ts'
import type { Database, Engine } from './tables/index.ts'

export type Db = Kysely<Database>
export type Trx = Transaction<Database> & { engine: Engine }

export interface Store {
  engine: Engine
  db: Db
  /** Reads committed data. Unlike `db` on SQLite, it does not wait for open transactions. */
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>
  /** Does long reads where they hold up nothing else; undefined where no read holds up another. */
  readApart: ReadApart | undefined
  /** Runs `work` in one durable transaction. Once this resolves, the outcome survives a power cut. */
  transact<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** Where changes of the ledger in this process wait their turn (`domain/boards/ledger.ts`). */
  ledgerQueue: Slots
  /** Commits a small write, to prove that others would work too. @throws whatever they would fail with */
  proveWrite(): Promise<void>
  /** Its connections, where it has several: by name. */
  pools(): Record<string, Use>
  close(): Promise<void>
}

/** Who would have to wait longer, or behind more, is told to come again: a processor delivers again by itself. */
export const createLedgerQueue = (atOnceMax: number): Slots =>
  createSlots({ atOnceMax, waitersMax: 1000, waitMs: 15_000 })

/** A read for another thread: which one, and its argument, which can be cloned. */
export interface ReadTask {
  name: string
  argument: unknown
}

/**
 * Which reads wait together: searches, or all others. Anyone can ask for any number of different searches, and those must
 * not hold up the rest.
 */
export type ReadLine = 'search' | 'other'

/** Who asks for a read, and where it waits. */
export interface ReadFor {
  line: ReadLine
  /** The networks of the client (`platform/http/client-address.ts`); none for the service itself. */
  networks?: readonly string[] | undefined
}

/** Runs reads on another thread, and gives what they return, cloned. */
export type ReadApart = (task: ReadTask, by: ReadFor) => Promise<unknown>

/** Runs reads that all see the database as of the first one, and hold up nobody. */
export function readOneMoment<T>({ db, engine }: Store, work: (db: Db) => Promise<T>): Promise<T> {
  if (engine === 'postgres') {
    return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
  }
  return db.connection().execute(async connection => {
    // Deferred, unlike transactions that write, so it takes no lock from them.
    await sql`begin`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

/** What runs a statement: a store, on committed data, or a transaction. */
export interface Runner {
  engine: Engine
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>
}
