import type { CompiledQuery } from 'kysely'
import type { Db, Store } from './store.ts'

/**
 * A query for a hot path: its SQL is built once for each store and then run with new parameters, since building the
 * text costs more than running it. `build` must use every parameter once, in order, and nothing else as a value.
 *
 * @returns a function that runs it on committed data and gives the rows
 */
export function prepared<Parameters extends (string | number)[], Row>(
  build: (db: Db, ...parameters: Parameters) => CompiledQuery<Row>,
): (store: Store, ...parameters: Parameters) => Promise<Row[]> {
  const compiled = new WeakMap<Store, CompiledQuery<Row>>()
  return (store, ...parameters) => {
    let query = compiled.get(store)
    if (!query) {
      query = build(store.db, ...parameters)
      if (query.parameters.some((value, index) => value !== parameters[index])) {
        throw new Error(`a prepared query must take its parameters in order: ${query.sql}`)
      }
      compiled.set(store, query)
    }
    return store.read(query, parameters)
  }
}
