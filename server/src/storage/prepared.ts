import type { CompiledQuery } from 'kysely'
import type { Db, Store, Trx } from './store.ts'

type Value = string | number | null
/** Must use every parameter once, in order, and nothing else as a value. */
type Build<Parameters extends Value[], Row> = (db: Db, ...parameters: Parameters) => CompiledQuery<Row>

/**
 * A query for a hot path: its SQL is built once for each store and then run with new parameters, since building the
 * text costs more than running it.
 *
 * @returns a function that runs it on committed data and gives the rows
 */
export function prepared<Parameters extends Value[], Row>(
  build: Build<Parameters, Row>,
): (store: Store, ...parameters: Parameters) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return (store, ...parameters) => store.read(once(compiled, store, store.db, build, parameters), parameters)
}

/** The same for a statement within a transaction. */
export function preparedIn<Parameters extends Value[], Row>(
  build: Build<Parameters, Row>,
): (trx: Trx, ...parameters: Parameters) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return async (trx, ...parameters) => {
    // All transactions of one store have one adapter.
    const query = once(compiled, trx.getExecutor().adapter, trx, build, parameters)
    const { rows } = await trx.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}

function once<Parameters extends Value[], Row>(
  compiled: WeakMap<object, CompiledQuery<Row>>,
  key: object,
  db: Db,
  build: Build<Parameters, Row>,
  parameters: Parameters,
): CompiledQuery<Row> {
  let query = compiled.get(key)
  if (!query) {
    query = build(db, ...parameters)
    const inOrder = query.parameters.length === parameters.length
    if (!inOrder || query.parameters.some((value, index) => value !== parameters[index])) {
      throw new Error(`a prepared query must take its parameters in order: ${query.sql}`)
    }
    compiled.set(key, query)
  }
  return query
}
