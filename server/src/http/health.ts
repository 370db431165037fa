import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { prepared } from '../storage/prepared.ts'
import type { Store } from '../storage/store.ts'
import { Problem } from './problem.ts'

/** `/healthz`: the process is alive. `/readyz`: it can serve, since its store answers. */
export function healthRoutes(app: FastifyInstance, store: Store): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    try {
      await anything(store)
    } catch (cause) {
      throw new Problem('not_ready', { retryAfterSeconds: 5, cause })
    }
    return { status: 'ready' }
  })
}

const anything = prepared(db => sql`select 1`.compile(db))
