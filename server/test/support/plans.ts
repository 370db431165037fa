import { CompiledQuery, type KyselyPlugin } from 'kysely'
import type { Db, Trx } from '../../src/platform/db/store.ts'

/** Notes the queries that run through Kysely with this plugin. */
export function noteQueries(db: Db): { plugin: KyselyPlugin; queries: CompiledQuery[] } {
  const queries: CompiledQuery[] = []
  return {
    queries,
    plugin: {
      transformQuery({ node, queryId }) {
        queries.push(db.getExecutor().compileQuery(node, queryId))
        return node
      },
      transformResult: async ({ result }) => result,
    },
  }
}

/** Returns SQLite's plan of a query, line by line. PostgreSQL's depends on the size of the tables. */
export async function planOf(db: Db | Trx, query: CompiledQuery | undefined): Promise<string[]> {
  const explain = CompiledQuery.raw(`explain query plan ${query?.sql}`, [...(query?.parameters ?? [])])
  const { rows } = await db.executeQuery<{ detail: string }>(explain as CompiledQuery<{ detail: string }>)
  return rows.map(({ detail }) => detail)
}
