import { sql } from 'kysely'
import { statement } from '../../src/platform/db/statement.ts'
import { longRead } from '../../src/platform/db/store.ts'

/** Stands still until the gate's first number is no longer 0. */
export const waitAtGate = longRead('waitAtGate', async (_runner, gate: Int32Array) => {
  Atomics.wait(gate, 0, 0)
  return 'through'
})

export const newGate = () => new Int32Array(new SharedArrayBuffer(4))

export function open(gate: Int32Array): void {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

/** Ends the thread it runs on. */
export const endThread = longRead('endThread', async () => process.exit())

/** A statement that the database refuses. */
export const readNothing = longRead('readNothing', runner => nothing(runner, {}))

/** Some tenths of a second within one statement, which nothing can interrupt. */
export const countLong = longRead('countLong', runner => count(runner, { to: 10_000_000 }))

export const countShort = longRead('countShort', runner => count(runner, { to: 10 }))

const nothing = statement({}, () => sql`select * from nowhere`)
const count = statement(
  { to: 'bigint' },
  ({ to }) => sql<{ n: number }>`
    with recursive number(i) as (select 1 union all select i + 1 from number where i < ${to})
    select count(*) as n from number`,
)
