import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Use } from '../metrics/measured.ts'
import { createSlots, type Slots } from '../slots.ts'
import type { ReadApart } from './long-read.ts'
import type { Database } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'
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
  /** Where changes of the ledger in this process wait their turn (`payments/ledger-lock.ts`). */
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
