import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { CompiledQuery } from 'kysely'
import type { Store } from '../storage/store.ts'
import { Problem } from './problem.ts'

/** However often somebody asks, the probe writes at most once in this time, and reads every time. */
const PROVED_FOR_MS = 1000

/** `/healthz`: the process is alive. `/readyz`: it can serve, because its store accepts a write. */
export function healthRoutes(app: FastifyInstance, store: Store): void {
  let proof: { outcome: Promise<void>; at: number } | undefined

  function provedLately(): Promise<void> {
    if (!proof || performance.now() - proof.at >= PROVED_FOR_MS) {
      proof = { outcome: store.proveWrite(), at: performance.now() }
    }
    return proof.outcome
  }

  // A cached answer would be about another moment.
  const uncached = { onRequest: noStore }
  app.get('/healthz', uncached, async () => ({ status: 'alive' }))
  app.get('/readyz', uncached, async () => {
    try {
      await Promise.all([store.executeQuery(anything), provedLately()])
    } catch (cause) {
      throw new Problem('not_ready', { retryAfterSeconds: 5, cause })
    }
    return { status: 'ready' }
  })
}

const noStore: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', 'no-store')
  done()
}

const anything = CompiledQuery.raw('select 1')
