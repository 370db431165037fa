import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { CompiledQuery } from 'kysely'
import { DatabaseDamaged } from '../db/failures.ts'
import type { Store } from '../db/store.ts'
import { COMMIT, VERSION } from '../lib/package.ts'
import { problemHeaders } from './error-reply.ts'
import { Problem } from './problem.ts'

/** However often somebody asks, the probe writes at most once in this time, and reads every time. */
const PROVED_FOR_MS = 1000

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve, because its store shows rows and accepts a write. It names
 * the version and commit, so that a roll-out can be followed.
 */
export function healthRoutes(app: FastifyInstance, store: Store): void {
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

  // A cached answer would be about another moment.
  const uncached = { onRequest: noStore }
  app.get('/healthz', uncached, async () => ({ status: 'alive' }))
  app.get('/readyz', uncached, async (request, reply) => {
    if (draining.aborted) {
      // Asked for, so not worth a line in the log.
      const stopping = new Problem('not_ready', {
        retryAfterSeconds: 5,
        detail: 'This instance is stopping.',
      })
      return problemHeaders(stopping, request, reply).send(stopping.toBody())
    }
    try {
      await Promise.all([store.executeQuery(anything), provedLately()])
    } catch (cause) {
      throw new Problem('not_ready', { retryAfterSeconds: 5, cause })
    }
    return { status: 'ready', version: VERSION, ...(COMMIT !== undefined && { commit: COMMIT }) }
  })
}

const noStore: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', 'no-store')
  done()
}

/** Rows of one probe, and the tables that it reads in turn, each with a key to go on from. */
const SAMPLED_ROWS = 50
const SAMPLED = ['listing', 'decision'] as const

/**
 * Reads a few real rows each time, the next ones the time after, so that damage is found before a visitor meets it. Rows
 * in memory say nothing about the file, and a count reads an index alone.
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
