import { hash } from 'node:crypto'
import {
  type AppealBody,
  appealSchema,
  DECISIONS_PATH,
  type DecisionStatement,
  decisionProofSchema,
  decisionSchema,
  STATEMENT_MAX_LENGTH,
} from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Store } from '../../../platform/db/store.ts'
import type { SiteParts } from '../../../platform/http/links.ts'
import { Problem } from '../../../platform/http/problem.ts'
import type { Allowances } from '../../../platform/http/rate-limits/counter.ts'
import { requireJsonUpTo } from '../../../platform/http/request-checks.ts'
import { plainText } from '../../../platform/lib/text.ts'
import { HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { recordDecision } from '../../decisions/record.ts'
import { PROOF_MEDIA_TYPE, proofOfDecision } from '../../log/proofs.ts'
import { mayHoldOwnerKey } from '../../ownership/claims.ts'
import { matchesHash } from '../../ownership/owner-token.ts'
import { forOneAgent, readSavedSecret } from '../../publishing/submission.ts'
import { contestableUntil, type FoundDecision, findDecision, isOwners, statementOf } from './statement.ts'

interface AppealDependencies extends SiteParts {
  allowances: Allowances
}

export const DECISIONS_PER_MINUTE = 60
export const APPEALS_PER_HOUR = 20

/** The longest statement in any characters: form-encoded, or as JSON that escapes each. */
export const APPEAL_MAX_BYTES = 16 * 1024

const NO_DECISION =
  'This secret opens no decision with this id. Send the X-Submission-Secret of the submission that was decided about. A decision after a person has claimed the listing is on its private page only.'

type DecisionRequest = FastifyRequest<{ Params: { id: string } }>

/** Adds GET /api/v1/agent/decisions/{id} for the reasons for a decision, …/proof, and POST …/appeal. */
export function decisionRoutes(app: FastifyInstance, deps: AppealDependencies): void {
  const { store, links, clock } = deps
  const reads = { name: 'decisionsPerMinutePerIp', max: DECISIONS_PER_MINUTE, windowMs: MINUTE_MS }
  const appeals = { name: 'appealsPerHourPerIp', max: APPEALS_PER_HOUR, windowMs: HOUR_MS }
  const onRead = forOneAgent(deps, reads)

  app.get<{ Params: { id: string } }>(
    `${DECISIONS_PATH}/:id`,
    { schema: decisionSchema, onRequest: onRead },
    async (request): Promise<DecisionStatement> => {
      return statementOf(await ownDecision(request), links, clock())
    },
  )

  app.get<{ Params: { id: string } }>(
    `${DECISIONS_PATH}/:id/proof`,
    { schema: { response: decisionProofSchema.response }, onRequest: onRead },
    async (request, reply) => {
      const { id } = await ownDecision(request)
      return reply.type(PROOF_MEDIA_TYPE).send(await proofOfDecision(store, id))
    },
  )

  app.post<{ Params: { id: string }; Body: AppealBody }>(
    `${DECISIONS_PATH}/:id/appeal`,
    {
      schema: appealSchema,
      bodyLimit: APPEAL_MAX_BYTES,
      onRequest: [...forOneAgent(deps, appeals), requireJsonUpTo(APPEAL_MAX_BYTES)],
    },
    async (request): Promise<DecisionStatement> => {
      const { id } = await ownDecision(request)
      const now = clock()
      return statementOf(await appealDecision(store, id, request.body.statement, 'owner', now), links, now)
    },
  )

  /** @throws Problem not_found, whether the decision does not exist or belongs to someone else */
  async function ownDecision({ params, headers }: DecisionRequest): Promise<FoundDecision> {
    const secret = readSavedSecret(headers)
    const decision = await findDecision(store.db, params.id)
    const isTheirs = matchesHash(secret, decision?.secretHash)
    if (!decision || !isTheirs || !isOwners(decision)) throw new Problem('not_found', { message: NO_DECISION })
    return decision
  }
}

/**
 * Appeals a decision, once. The caller has checked that the secret gives access to it.
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
      // If two requests arrive at once, the second one sees the first one's appeal.
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
      kind: 'appeal',
      listingId,
      requestId,
      reportId,
      about: id,
      ground: 'rules/appeals',
      reason: 'contested',
      facts,
      actor: by,
      at: now,
    })
    return (await findDecision(trx, id)) ?? contested
  })
}

/** Returns the statement as one plain line. @throws Problem invalid_statement */
function readStatement(text: string): string {
  const statement = plainText(text, STATEMENT_MAX_LENGTH)
  if (!statement || text.length > STATEMENT_MAX_LENGTH || mayHoldOwnerKey(statement)) {
    throw new Problem('invalid_statement', { field: 'statement' })
  }
  return statement
}
