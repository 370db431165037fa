import type pg from 'pg'
import { nameOf } from './statement.ts'

/** PostgreSQL's codes: a name is unknown, or taken, or its statement would return other columns than when prepared. */
const UNUSABLE = new Set(['26000', '42P05', '0A000'])

/**
 * Which statements the connections of a pool keep prepared. PostgreSQL needs longer to parse and plan a small statement
 * than to run it, and keeps the result for a connection under the statement's name.
 *
 * A pooler such as PgBouncer may run each transaction on another connection of the server, which lacks the name.
 * So nothing is prepared behind one. `isPooled` may miss a pooler: nothing is prepared after PostgreSQL refused a name.
 */
export class PreparedStatements {
  #isKnown = false
  #isOff = false

  /** Finds out what a new connection of the pool leads to. */
  async inspect(client: pg.PoolClient): Promise<void> {
    if (await isPooled(client)) this.#isOff = true
    this.#isKnown = true
    client.connection.on('errorMessage', ({ code = '' }: { code?: string }) => {
      if (UNUSABLE.has(code)) this.#isOff = true
    })
  }

  /** Returns the query for a statement, with a name if it shall be prepared. */
  query(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    const name = this.#isKnown && !this.#isOff ? nameOf(text) : undefined
    return { text, values: [...parameters], ...(name && { name }) }
  }
}

/** Returns whether a connection leads to a pooler: it gives its clients other process ids than the server's. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as { processID?: number }).processID
}
