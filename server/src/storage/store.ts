import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Database } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'
export type Db = Kysely<Database>
export type Trx = Transaction<Database> & { engine: Engine }

export interface Store {
  engine: Engine
  db: Db
  /** Reads committed data. Unlike `db` on SQLite, it does not wait for open transactions. */
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>
  /** Runs `work` in one durable transaction. Once this resolves, the outcome survives a power cut. */
  transact<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** Commits a small write, to prove that others would work too. @throws whatever they would fail with */
  proveWrite(): Promise<void>
  close(): Promise<void>
}
