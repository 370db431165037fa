import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import type { Use } from '../lib/diagnostics.ts'
import { createSlots, type Slots } from '../lib/slots.ts'
import type { Database, Engine } from './tables/index.ts'

export type Db = Kysely<Database>
export type Trx = Transaction<Database> & { engine: Engine }

/** Where a thread with its own connection finds the database: the path of a SQLite file, or the URL of PostgreSQL. */
export interface DatabaseAddress {
  engine: Engine
  at: string
}

export interface Store {
  engine: Engine
  address: DatabaseAddress
  db: Db
  /** Reads committed data. Unlike `db` on SQLite, it does not wait for open transactions. */
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>
  /** Runs long reads where they block nothing else; undefined if no read blocks another. */
  onThread: ReadOnThread | undefined
  /** Runs `work` in one durable transaction. When this resolves, the outcome survives a power cut. */
  transact<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** The queue for changes of the ledger in this process (`domain/boards/ledger.ts`). */
  ledgerQueue: Slots
  /** Commits a small write, to prove that others would succeed, too. @throws the error with which they would fail */
  proveWrite(): Promise<void>
  /** Its connections by name, if it has several. */
  pools(): Record<string, Use>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Returns the queue of the ledger. Beyond these limits, callers get 503 and retry. Stripe redelivers events on its own.
 */
export const createLedgerQueue = (atOnceMax: number): Slots =>
  createSlots({ atOnceMax, waitersMax: 1000, waitMs: 15_000 })

/** A read for another thread: its name and its argument, which can be cloned. */
export interface ReadTask {
  name: string
  argument: unknown
}

/**
 * Which reads share a queue: searches, or all others. A client can request any number of different searches, which must
 * not block the rest.
 */
export type ReadLine = 'search' | 'other'

/** The origin of a read, and its queue. */
export interface ReadFor {
  line: ReadLine
  /** The networks of the client (`platform/http/client-address.ts`); none for the service itself. */
  networks?: readonly string[] | undefined
}

/** Runs reads on another thread, and returns their result, cloned. */
type ReadOnThread = (task: ReadTask, by: ReadFor) => Promise<unknown>

/** Runs reads that all see the database as of the first one, without blocking others. */
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

/** One moment of the database, on a connection of its own. */
export interface Snapshot {
  runner: Runner
  close(): Promise<void>
}

/** Runs statements: a store, on committed data, or a transaction. */
export interface Runner {
  engine: Engine
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>
}

/** A runner whose long reads share their thread with those of other networks. */
type LongRunner = Runner & { onThread?: ReadOnThread | undefined }

/**
 * A read that may take long. On SQLite, whose driver is synchronous, it runs on a separate thread with everything it
 * computes, so that nothing else waits for it. On PostgreSQL, it runs here. The thread costs about 30 µs, and each
 * returned row as much as reading it here, so short reads are better without it.
 *
 * @param name unique: the thread finds the read by it, and imports its module in `ops/processes/long-reads.ts`
 */
export function longRead<Argument, Result>(
  name: string,
  read: (runner: Runner, argument: Argument) => Promise<Result>,
  line: ReadLine = 'other',
): (runner: LongRunner, argument: Argument) => Promise<Result> {
  READS.set(name, read as AnyRead)
  return (runner, argument) =>
    runner.onThread ? (runner.onThread({ name, argument }, { line }) as Promise<Result>) : read(runner, argument)
}

/** Returns the same store, whose long reads count as those of a client's networks. */
export function readingFor<Store extends LongRunner>(store: Store, networks: readonly string[]): Store {
  const { onThread } = store
  return onThread ? { ...store, onThread: (task, by) => onThread(task, { ...by, networks }) } : store
}

type AnyRead = (runner: Runner, argument: unknown) => Promise<unknown>
const READS = new Map<string, AnyRead>()

/** Runs a read here. @throws Error if no imported module has it */
export async function readHere(runner: Runner, { name, argument }: ReadTask): Promise<unknown> {
  const read = READS.get(name)
  if (!read) throw new Error(`ops/processes/long-reads.ts imports no long read ${name}`)
  return read(runner, argument)
}
