import {
  type AppealBody,
  appealSchema,
  DECISIONS_PATH,
  type DecisionStatement,
  decisionSchema,
} from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Allowances } from '../allowances/allowances.ts'
import { rejectCrossOrigin } from '../http/cross-origin.ts'
import { requireJsonUpTo } from '../http/json-body.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { rateLimit } from '../http/rate-limit.ts'
import { matchesHash } from '../ownership/owner-token.ts'
import { readSecret } from '../publishing/submission.ts'
import type { Store } from '../storage/store.ts'
import { appealDecision } from './appeal.ts'
import { type FoundDecision, findDecision, isOwners } from './find-decision.ts'
import { statementOf } from './statement.ts'

interface AppealDependencies {
  allowances: Allowances
  store: Store
  links: Links
  clock: () => number
}

const MINUTE_MS = 60_000
export const DECISIONS_PER_MINUTE = 60
export const APPEALS_PER_HOUR = 20
/** The longest statement in any characters: form-encoded, or as JSON that escapes each. */
export const APPEAL_MAX_BYTES = 16 * 1024

/** Compared with if there is nothing to compare with, so that an unknown decision takes as long as a wrong secret. */
const NO_HASH = '0'.repeat(64)

type DecisionRequest = FastifyRequest<{ Params: { id: string } }>

/** GET /api/v1/agent/decisions/{id}, and POST …/appeal: the reasons for a decision, and contesting it. */
export function decisionRoutes(
  app: FastifyInstance,
  { allowances, store, links, clock }: AppealDependencies,
): void {
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${DECISIONS_PATH}/:id`,
    schema: decisionSchema,
    onRequest: [
      rejectCrossOrigin(links),
      rateLimit(allowances, {
        ...{ name: 'decisionsPerMinutePerIp', max: DECISIONS_PER_MINUTE, windowMs: MINUTE_MS, isTold: true },
      }),
    ],
    handler: async (request, reply): Promise<DecisionStatement> => {
      reply.header('cache-control', 'no-store')
      return statementOf(await ownDecision(request), links, clock())
    },
  })

  app.route<{ Params: { id: string }; Body: AppealBody }>({
    method: 'POST',
    url: `${DECISIONS_PATH}/:id/appeal`,
    schema: appealSchema,
    bodyLimit: APPEAL_MAX_BYTES,
    onRequest: [
      rejectCrossOrigin(links),
      rateLimit(allowances, {
        ...{ name: 'appealsPerHourPerIp', max: APPEALS_PER_HOUR, windowMs: 60 * MINUTE_MS, isTold: true },
      }),
      requireJsonUpTo(APPEAL_MAX_BYTES),
    ],
    handler: async (request, reply): Promise<DecisionStatement> => {
      reply.header('cache-control', 'no-store')
      const { id } = await ownDecision(request)
      const now = clock()
      return statementOf(await appealDecision(store, id, request.body.statement, 'owner', now), links, now)
    },
  })

  /** @throws Problem not_found, the same for an unknown decision and for somebody else's */
  async function ownDecision({ params, headers }: DecisionRequest): Promise<FoundDecision> {
    const secret = readSecret(headers)
    const decision = await findDecision(store.db, params.id)
    const isTheirs = matchesHash(secret, decision?.secretHash ?? NO_HASH)
    if (!decision || !isTheirs || !isOwners(decision)) throw new Problem('not_found')
    return decision
  }
}
