import { hash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DecisionTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'
import { countDecisions } from './counts.ts'

export type Decision = Selectable<DecisionTable>

/** What the first link continues. */
export const NO_HASH = '0'.repeat(64)

/** How many one transaction chains: some milliseconds, since others may wait for it. */
const BATCH = 100

/** What the hash covers: the decision as JSON with its names in order. Facts count by their own hash, so they may end. */
function canonical(decision: Decision): string {
  const { about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId } = decision
  return JSON.stringify({
    ...{ about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId },
  })
}

export const nextHash = (before: string, decision: Decision): string =>
  hash('sha256', before + canonical(decision))

/**
 * Chains every decision not chained yet. The deciding transactions take no part, so none waits for another. If two do it at
 * once, whoever is second to a position rolls back, and comes again.
 *
 * @returns how many it chained
 */
export async function chainDecisions(store: Store, signal?: AbortSignal): Promise<number> {
  let chained = 0
  while (!signal?.aborted && (await unchained(store, {})).length > 0) {
    const batch = await store.transact(chainSome).catch(error => {
      if (error instanceof PositionTaken) return 0
      throw error
    })
    chained += batch
    if (batch < BATCH) break
  }
  return chained
}

async function chainSome(trx: Trx): Promise<number> {
  const [head = { position: 0, hash: NO_HASH }] = await lastLink(trx, {})
  let { position, hash: last } = head
  const decisions = await nextDecisions(trx, {})
  for (const decision of decisions) {
    position++
    last = nextHash(last, decision)
    const added = await addLink(trx, { position, decisionId: decision.id, hash: last })
    if (added.length === 0) throw new PositionTaken()
    await place(trx, { id: decision.id, position })
  }
  await countDecisions(trx, decisions)
  return decisions.length
}

/** Rolls back a pass that another was ahead of. */
class PositionTaken extends Error {}

const unchained = statement({}, (_, db) =>
  db.selectFrom('decision').select('id').where('position', 'is', null).limit(sql.lit(1)),
)

const nextDecisions = statement({}, (_, db) =>
  db.selectFrom('decision').selectAll().where('position', 'is', null).orderBy('id').limit(sql.lit(BATCH)),
)

const lastLink = statement({}, (_, db) =>
  db.selectFrom('decision_chain').select(['position', 'hash']).orderBy('position', 'desc').limit(sql.lit(1)),
)

const addLink = statement({ position: 'bigint', decisionId: 'text', hash: 'text' }, (link, db) =>
  db
    .insertInto('decision_chain')
    .values(link)
    .onConflict(conflict => conflict.column('position').doNothing())
    .returning('position'),
)

const place = statement({ id: 'text', position: 'bigint' }, ({ id, position }, db) =>
  db.updateTable('decision').set({ position }).where('id', '=', id),
)
