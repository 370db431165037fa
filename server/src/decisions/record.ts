import { hash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Actor, DecisionKind } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Trx } from '../storage/store.ts'
import { type GroundId, groundNow } from './grounds.ts'

export interface NewDecision {
  /** Left out, a new one is made. */
  id?: string
  kind: DecisionKind
  listingId?: number
  requestId?: string
  reportId?: number
  about?: string
  ground: GroundId
  /** A code, such as a review reason. */
  reason: string
  /** What it relies on, as plain JSON. Never anything by which a client could be known. */
  facts: object
  actor: Actor
  at: number
}

/** Records a decision in the transaction that carries it out. A pass chains it within seconds. @returns its id */
export async function recordDecision(trx: Trx, decision: NewDecision): Promise<string> {
  const { id = uuidv7(), kind, listingId, requestId, reportId, about, reason, actor, at } = decision
  const facts = JSON.stringify(decision.facts)
  await putDecision(trx, {
    id,
    kind,
    listingId: listingId ?? null,
    requestId: requestId ?? null,
    reportId: reportId ?? null,
    about: about ?? null,
    ground: groundNow(decision.ground),
    reason,
    facts,
    factsHash: hash('sha256', facts),
    actor,
    at,
  })
  return id
}

const putDecision = statement(
  {
    ...{ id: 'text', kind: 'text', listingId: 'bigint?', requestId: 'text?', reportId: 'bigint?' },
    ...{ about: 'text?', ground: 'text', reason: 'text', facts: 'text', factsHash: 'text' },
    ...{ actor: 'text', at: 'bigint' },
  },
  (decision, db) => db.insertInto('decision').values(decision as never),
)

/** The operator whose name a shell command or a console gives. */
export const operatorNamed = (name: string): `operator:${string}` => `operator:${name}`

/** The name of the operator who decided; undefined if none did. */
export const operatorOf = (actor: Actor): string | undefined =>
  actor.startsWith('operator:') ? actor.slice('operator:'.length) : undefined
