import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Database } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'
export type Db = Kysely<Database>
export type Trx = Transaction<Database>

export interface Store {
  engine: Engine
  db: Db
  /**
   * Runs one statement on committed data, beside whatever transactions are open. The way of `prepared` queries: it
   * neither builds SQL nor waits in line.
   */
  read<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): Promise<Row[]>
  /** Runs `work` in one durable transaction: when this resolves, the outcome survives a power cut. */
  transact<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** Writes a little for good, which proves that other writes would work too. @throws whatever they would fail with */
  proveWrite(): Promise<void>
  close(): Promise<void>
}
