import { CompiledQuery, sql } from 'kysely'
import type { Store } from '../../src/platform/db/store.ts'

/** How the engine does what `work` asks of it, and how many rows it takes at most at one step. */
export async function planOf(
  store: Store,
  work: (watched: Store) => Promise<unknown>,
): Promise<{ steps: string[]; mostRows: number }> {
  const asked: [sql: string, parameters: readonly unknown[]][] = []
  await work({
    ...store,
    onThread: undefined,
    executeQuery: query => {
      asked.push([query.sql, query.parameters])
      return store.executeQuery(query)
    },
  })
  const plan = { steps: [] as string[], mostRows: 0 }
  for (const [text, parameters] of asked) {
    // What rank is read from is so small that PostgreSQL may well take all of it.
    if (store.engine === 'postgres' && !text.includes('listing')) continue
    const explain = store.engine === 'sqlite' ? 'explain query plan' : 'explain (analyze, timing off)'
    const { rows } = await store.db.executeQuery<Record<string, string>>(
      CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
    )
    const steps = rows.map(row => `${row.detail ?? row['QUERY PLAN']}`)
    plan.steps.push(...steps)
    const taken = steps.map(step => Number(/actual rows=([\d.]+)/.exec(step)?.[1] ?? 0))
    plan.mostRows = Math.max(plan.mostRows, ...taken)
  }
  return plan
}

/**
 * Gives PostgreSQL the statistics of all rows, without which it takes every table for a small one. It also repeats
 * `vacuum` until the pages of each table are known to be visible to all, up to empty ones at its end: a connection that is
 * just opening can prevent that, in any database of the server. Plans then read the table where they would read an index.
 */
export async function vacuum(store: Store): Promise<void> {
  if (store.engine !== 'postgres') return
  let unseen: unknown
  do {
    await store.db.executeQuery(CompiledQuery.raw('vacuum analyze'))
    const { rows } = await sql`
      select relname from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relpages > 20 and relallvisible < relpages * 0.9
      limit 1
    `.execute(store.db)
    unseen = rows[0]
  } while (unseen)
}
