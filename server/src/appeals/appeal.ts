import { hash } from 'node:crypto'
import { STATEMENT_MAX_LENGTH } from '@placard/contract'
import { recordDecision } from '../decisions/record.ts'
import { Problem } from '../http/problem.ts'
import { mayHoldOwnerKey } from '../ownership/private-link.ts'
import { plainText } from '../reading/plain-text.ts'
import type { Store } from '../storage/store.ts'
import { contestableUntil, type FoundDecision, findDecision } from './find-decision.ts'

/**
 * Contests a decision, once. The caller has checked that it may.
 *
 * @returns the decision with its appeal; unchanged if the same statement had arrived before
 * @throws Problem invalid_statement, not_contestable, already_appealed
 */
export function appealDecision(
  store: Store,
  id: string,
  text: string,
  by: 'owner' | 'reporter',
  now: number,
): Promise<FoundDecision> {
  const statement = readStatement(text)
  return store.transact(async trx => {
    if (trx.engine === 'postgres') {
      // Of two at once, the second sees the first.
      await trx.selectFrom('decision').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    }
    const contested = await findDecision(trx, id)
    if (!contested) throw new Problem('not_found')
    const facts = { statement }
    if (contested.appeal) {
      if (contested.appeal.factsHash === hash('sha256', JSON.stringify(facts))) return contested
      throw new Problem('already_appealed')
    }
    if ((contestableUntil(contested) ?? 0) <= now) throw new Problem('not_contestable')
    const { listingId, requestId, reportId } = contested
    await recordDecision(trx, {
      ...{
        kind: 'appeal',
        about: id,
        ground: 'rules/appeals',
        reason: 'contested',
        facts,
        actor: by,
        at: now,
      },
      ...(listingId !== null && { listingId }),
      ...(requestId !== null && { requestId }),
      ...(reportId !== null && { reportId }),
    })
    return (await findDecision(trx, id)) ?? contested
  })
}

/** The statement as one plain line. @throws Problem invalid_statement */
function readStatement(text: string): string {
  const statement = plainText(text, STATEMENT_MAX_LENGTH)
  if (!statement || text.length > STATEMENT_MAX_LENGTH || mayHoldOwnerKey(statement)) {
    throw new Problem('invalid_statement', { field: 'statement' })
  }
  return statement
}
