import { setImmediate as endOfTurn } from 'node:timers/promises'
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import type pg from 'pg'
import type { Db, Runner } from './store.ts'
import type { Engine } from './tables/index.ts'

/** The type of a parameter in SQL. One with a question mark may be null. */
type ColumnType = 'text' | 'bigint' | 'text?' | 'bigint?'
type ValueOf<T extends ColumnType> = {
  text: string
  bigint: number
  'text?': string | null
  'bigint?': number | null
}[T]
type Types = Readonly<Record<string, ColumnType>>
/** The values of parameters that have these types. */
export type ValuesOf<T extends Types> = { [Name in keyof T]: ValueOf<T[Name]> }

interface Compilable<Row> {
  compile(db: Db): CompiledQuery<Row>
}

/**
 * A statement for a hot path. Its SQL is built once per engine and then run with new values, because building the text
 * costs more than running it. Everything else uses the Kysely builder.
 *
 * Each parameter is cast to its type. With a bare parameter in a join or a subquery, SQLite (built with STAT4, like the
 * driver's) makes a new plan for every value, which takes several times as long as running the statement.
 *
 * @param types the parameters by name, with their SQL types
 * @param build receives an expression for each parameter, and may use each any number of times
 * @returns a function that runs the statement and returns its rows
 */
export function statement<const T extends Types, Row>(
  types: T,
  build: (parameters: ValuesOf<T>, db: Db) => Compilable<Row>,
): (runner: Runner, values: ValuesOf<T>) => Promise<Row[]> {
  const run = statementOfRows(types, ([parameters]: ValuesOf<T>[], db) => build(parameters as ValuesOf<T>, db))
  return (runner, values) => run(runner, [values])
}

/**
 * The maximum number of requests that share a statement, and of rows in one that PostgreSQL prepares. Each number is a
 * statement of its own, which is kept.
 */
const SHARED_MAX = 32

/**
 * Like `statement`, for a read of one row that many requests make at once: those of one turn of the event loop share a
 * statement, at its end. So each sees everything that was committed before it was requested.
 *
 * @param build receives the parameters of each request, and returns one row for each, in their order
 */
export function sharedStatement<const T extends Types, Row>(
  types: T,
  build: (requests: ValuesOf<T>[], db: Db) => Compilable<Row>,
): (runner: Runner, values: ValuesOf<T>) => Promise<Row[]> {
  const run = statementOfRows(types, build)
  let open: { runner: Runner; requests: ValuesOf<T>[]; rows: Promise<Row[]> } | undefined
  function begin(runner: Runner) {
    const requests: ValuesOf<T>[] = []
    const rows = endOfTurn().then(() => {
      if (open?.requests === requests) open = undefined
      return run(runner, requests)
    })
    return { runner, requests, rows }
  }
  return (runner, values) => {
    if (open?.runner !== runner || open.requests.length === SHARED_MAX) open = begin(runner)
    const nth = open.requests.push(values) - 1
    return open.rows.then(rows => rows.slice(nth, nth + 1))
  }
}

/** Like `statement`, for the parameters of several rows, such as an insert's. Built once per number of rows. */
export function statementOfRows<const T extends Types, Row>(
  types: T,
  build: (rows: ValuesOf<T>[], db: Db) => Compilable<Row>,
): (runner: Runner, rows: readonly ValuesOf<T>[]) => Promise<Row[]> {
  const compiled: Record<Engine, CompiledQuery<Row>[]> = { sqlite: [], postgres: [] }
  function compile(engine: Engine, rowCount: number): CompiledQuery<Row> {
    const rows = Array.from({ length: rowCount }, (_, row) => placeholders(types, row))
    const { sql: text, parameters } = build(rows, BUILDERS[engine]).compile(BUILDERS[engine])
    if (engine === 'postgres' && rowCount <= SHARED_MAX) giveName(text)
    // Without the tree that it was built from, which takes several times the memory of the text, for each number of rows.
    return CompiledQuery.raw(text, [...parameters]) as CompiledQuery<Row>
  }
  return async (runner, rows) => {
    const ofEngine = compiled[runner.engine]
    ofEngine[rows.length] ??= compile(runner.engine, rows.length)
    const query = ofEngine[rows.length] as CompiledQuery<Row>
    const parameters = query.parameters.map(value =>
      value instanceof Parameter ? rows[value.row]?.[value.name] : value,
    )
    return (await runner.executeQuery<Row>({ ...query, parameters })).rows
  }
}

/** The names under which connections to PostgreSQL prepare statements, by SQL. */
const NAMES = new Map<string, string>()

/** Of all columns, as opposed to `count(*)`. */
const ALL_COLUMNS = /\*(?!\))/

/** A statement that returns all columns gets none: PostgreSQL refuses it once a newer version has added a column. */
function giveName(text: string): void {
  if (!NAMES.has(text) && !ALL_COLUMNS.test(text)) NAMES.set(text, `placard_${NAMES.size}`)
}

/** Returns the name of a statement for a hot path; undefined for all others. */
const nameOf = (text: string): string | undefined => NAMES.get(text)

/**
 * Waits for statements of a transaction that need nothing of each other. Those of `statement` that begin in one turn of
 * the event loop reach PostgreSQL together, in their order.
 *
 * @throws the error of the first that failed, once all have ended: after that, the transaction may be rolled back
 */
export async function together<const T extends readonly Promise<unknown>[]>(statements: T) {
  await Promise.allSettled(statements)
  return Promise.all(statements)
}

/** A placeholder for a value in a compiled statement. */
class Parameter {
  readonly row: number
  readonly name: string

  constructor(row: number, name: string) {
    this.row = row
    this.name = name
  }
}

/** An expression for each parameter, typed as its future value. */
const placeholders = <T extends Types>(types: T, row: number): ValuesOf<T> =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      sql`cast(${new Parameter(row, name)} as ${sql.raw(type.replace('?', ''))})`,
    ]),
  ) as unknown as ValuesOf<T>

const connectToNothing = () => Promise.reject(new Error('this only builds SQL'))

const BUILDERS: Record<Engine, Db> = {
  sqlite: new Kysely({ dialect: new SqliteDialect({ database: connectToNothing }) }),
  postgres: new Kysely({ dialect: new PostgresDialect({ pool: connectToNothing }) }),
}

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
