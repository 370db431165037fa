import type { Actor, DecisionKind } from '../storage/schema.ts'
import type { Db } from '../storage/store.ts'

export interface LastAct {
  id: string
  kind: DecisionKind
  reason: string
  actor: Actor
  at: number
}

/** Whatever changes what an operator has to decide about a listing. */
const ACTS = ['hide', 'restore', 'term', 'settle', 'settle_finding', 'outcome'] as const

/** What was last done about a listing, by whomever: how an operator who saw less can be told. */
export const lastAct = (db: Db, listingId: number): Promise<LastAct | undefined> =>
  db
    .selectFrom('decision')
    .select(['id', 'kind', 'reason', 'actor', 'at'])
    .where('listingId', '=', listingId)
    // As in the index, which holds no publication.
    .where('kind', '<>', 'accept')
    .where('kind', 'in', ACTS)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
