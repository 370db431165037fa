import type { FastifyInstance } from 'fastify'
import { CompiledQuery } from 'kysely'
import { DatabaseDamaged } from '../db/failures.ts'
import type { Store } from '../db/store.ts'
import { COMMIT, VERSION } from '../lib/package.ts'
import { problemHeaders } from './error-reply.ts'
import { noStore } from './headers.ts'
import type { Links } from './links.ts'
import { Problem } from './problem.ts'

/** The probe writes at most once in this time, however often it is called, and reads every time. */
const PROVED_FOR_MS = 1000

/**
 * Adds `/healthz`: the process is alive. Adds `/readyz`: it can serve, because its database returns rows and accepts a
 * write. It names the version and commit, so that operators can follow a roll-out.
 */
export function healthRoutes(app: FastifyInstance, store: Store, links: Links): void {
  const { draining, damper } = app
  const readRows = sampleOf(store)
  let proof: { outcome: Promise<void>; at: number } | undefined

  async function prove(): Promise<void> {
    await Promise.all([readRows(), store.proveWrite()])
    if (damper.isDamaged) throw new DatabaseDamaged('an earlier request met the damage')
  }

  function provedLately(): Promise<void> {
    if (!proof || performance.now() - proof.at >= PROVED_FOR_MS) {
      proof = { outcome: prove(), at: performance.now() }
    }
    return proof.outcome
  }

  // A cached answer would describe another moment.
  const uncached = { onRequest: noStore }
  app.get('/healthz', uncached, async () => ({ status: 'alive' }))
  app.get('/readyz', uncached, async (request, reply) => {
    if (draining.aborted) {
      // A requested stop needs no line in the log.
      const stopping = new Problem('not_ready', {
        retryAfterSeconds: 5,
        message: 'This instance is stopping. Use another one, or try again shortly.',
      })
      return problemHeaders(stopping, request, reply).send(stopping.toBody(links))
    }
    try {
      await Promise.all([store.executeQuery(anything), provedLately()])
    } catch (cause) {
      throw new Problem('not_ready', { retryAfterSeconds: 5, cause })
    }
    return { status: 'ready', version: VERSION, ...(COMMIT !== undefined && { commit: COMMIT }) }
  })
}

/** Rows per probe, and the tables that it reads in turn, each with the key to continue from. */
const SAMPLED_ROWS = 50
const SAMPLED = ['listing', 'decision'] as const

/**
 * Reads a few real rows, and the next ones at the next call, so that damage is found before a visitor meets it. Cached
 * rows would prove nothing about the file, and a count reads only an index.
 */
function sampleOf(store: Store): () => Promise<void> {
  const last = { listing: 0, decision: 0 }
  return async () => {
    for (const table of SAMPLED) {
      const query = store.db
        .selectFrom(table)
        .selectAll()
        .where('id', '>', last[table])
        .orderBy('id')
        .limit(SAMPLED_ROWS)
      const { rows } = await store.executeQuery<{ id: number }>(query.compile() as CompiledQuery<{ id: number }>)
      last[table] = rows.at(-1)?.id ?? 0
    }
  }
}

const anything = CompiledQuery.raw('select 1')
