import {
  PUBLISH_PATH,
  SUBMISSIONS_PATH,
  type SubmissionEvents,
  type SubmissionStatus,
  type SubmissionWebhook,
  type SubmissionWebhookBody,
  submissionEventsSchema,
  submissionProofSchema,
  submissionSchema,
  submissionWebhookSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { allowance, refuseTooMany } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireJson } from '../../platform/http/request-checks.ts'
import { HOUR_MS, MINUTE_MS, nextMidnight } from '../../platform/lib/time.ts'
import { PROOF_MEDIA_TYPE, proofOfDecision } from '../log/proofs.ts'
import { parseWebhookAddress } from '../notifications/owner/webhook.ts'
import type { StoreAndKeys } from '../ownership/service-keys/service-keys.ts'
import { decisionIdOf } from './attempts.ts'
import { attemptsLeft, countedAs, readNextPlaces } from './quotas.ts'
import { forOneAgent } from './submission.ts'
import { eventsAfter, FROM_THE_START, parseCursor } from './submission-events.ts'
import { ownAttempt, stateOf, statusOf, UNKNOWN } from './submission-status.ts'
import { noSubmission, removeSubmissionWebhook, saveSubmissionWebhook } from './submission-webhooks.ts'

interface SubmissionDependencies extends StoreAndKeys {
  allowances: Allowances
  links: Links
  limits: Config['limits']
  clock: () => number
}

export const SUBMISSIONS_PER_MINUTE = 60
/** Per submission: each makes Placard post an event, and the agent has not proved that the server is theirs. */
export const SUBMISSION_WEBHOOKS_PER_HOUR = 10

const EVENTS_MAX = 50

const NO_PROOF =
  'No accepted submission has this key and secret, so there is no proof. GET the submission without /proof to read its state.'

/**
 * Adds GET /api/v1/agent/submissions/{key}, …/events and …/proof, which tell what became of a submission and write
 * nothing, and PUT …/webhook, which has the events posted.
 */
export function submissionRoutes(app: FastifyInstance, deps: SubmissionDependencies): void {
  const { store, serviceKeys, links, limits, clock } = deps
  const limit = { name: 'submissionsPerMinutePerIp', max: SUBMISSIONS_PER_MINUTE, windowMs: MINUTE_MS }
  const onRequest = forOneAgent(deps, limit)

  const webhooks = allowance(deps.allowances, {
    name: 'webhooksOfSubmissionPerHour',
    max: SUBMISSION_WEBHOOKS_PER_HOUR,
    windowMs: HOUR_MS,
    keyOf: ({ params }) => (params as { key: string }).key.toLowerCase(),
  })

  // Handlers check the key, whose error is the one of a publish.
  app.get<{ Params: { key: string } }>(
    `${SUBMISSIONS_PATH}/:key`,
    { schema: { response: submissionSchema.response }, onRequest },
    async (request): Promise<SubmissionStatus> => {
      const attempt = await ownAttempt(store, request)
      const now = clock()
      // Read for an unknown submission, too, so that its answer takes as long.
      const from = countedAs(request, { hostname: attempt?.hostname ?? '' }, serviceKeys)
      const left = attemptsLeft(await readNextPlaces(store, from, now), limits)
      const { newAttemptsPerDayPerHost, ...remaining } = left
      const own = `${links.base}${SUBMISSIONS_PATH}/${request.params.key.toLowerCase()}`
      return {
        ...(attempt ? await statusOf(store, attempt, links, now) : UNKNOWN),
        links: {
          publish: links.base + PUBLISH_PATH,
          events: `${own}/events`,
          webhook: `${own}/webhook`,
          support: links.support,
        },
        remaining: attempt ? { ...remaining, newAttemptsPerDayPerHost } : remaining,
        remainingUntil: nextMidnight(now),
        chargeCreated: false,
      }
    },
  )

  app.get<{ Params: { key: string }; Querystring: { cursor?: string } }>(
    `${SUBMISSIONS_PATH}/:key/events`,
    {
      schema: { querystring: submissionEventsSchema.querystring, response: submissionEventsSchema.response },
      onRequest,
    },
    async (request): Promise<SubmissionEvents> => {
      const { cursor: text = FROM_THE_START } = request.query
      const cursor = parseCursor(text)
      const attempt = await ownAttempt(store, request)
      const now = clock()
      if (!attempt) return { state: 'unknown', events: [], nextCursor: text, hasMore: false, chargeCreated: false }
      const found = await eventsAfter(store, attempt, cursor, { limit: EVENTS_MAX, links, now })
      return {
        state: stateOf(attempt, now),
        ...found,
        nextCursor: found.events.at(-1)?.cursor ?? text,
        chargeCreated: false,
      }
    },
  )

  app.get<{ Params: { key: string } }>(
    `${SUBMISSIONS_PATH}/:key/proof`,
    { schema: { response: submissionProofSchema.response }, onRequest },
    async (request, reply) => {
      const attempt = await ownAttempt(store, request)
      if (attempt?.state !== 'published') throw new Problem('not_found', { message: NO_PROOF })
      return reply.type(PROOF_MEDIA_TYPE).send(await proofOfDecision(store, decisionIdOf(attempt)))
    },
  )

  app.put<{ Params: { key: string }; Body: SubmissionWebhookBody }>(
    `${SUBMISSIONS_PATH}/:key/webhook`,
    {
      schema: { body: submissionWebhookSchema.body, response: submissionWebhookSchema.response },
      onRequest: [...onRequest, requireJson],
    },
    async (request): Promise<SubmissionWebhook> => {
      const attempt = await ownAttempt(store, request)
      if (!attempt) throw noSubmission()
      if (request.body.url === null) {
        await removeSubmissionWebhook(store, attempt.requestId)
        return { url: null, chargeCreated: false }
      }
      const address = parseWebhookAddress(request.body.url, links.hostname)
      if (!address) {
        const detail = 'url must be a public https address with a real domain name, on the standard port.'
        throw new Problem('invalid_body', { field: 'url', detail })
      }
      await refuseTooMany(webhooks, request)
      const secret = await saveSubmissionWebhook(deps, attempt.requestId, address, clock())
      return { url: address.url, ...(secret !== undefined && { secret }), chargeCreated: false }
    },
  )
}
