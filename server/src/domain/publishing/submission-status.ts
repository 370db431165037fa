import {
  DECISIONS_PATH,
  PUBLISH_PATH,
  SUBMISSIONS_PATH,
  type SubmissionStatus,
  submissionSchema,
} from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { rejectCrossOrigin } from '../../platform/http/request-checks.ts'
import { MINUTE_MS, nextMidnight, SECOND_MS } from '../../platform/lib/time.ts'
import { hidingDecision } from '../decisions/record.ts'
import { matchesHash } from '../ownership/owner-token.ts'
import type { ServiceKeys } from '../ownership/service-keys/service-keys.ts'
import { rejection } from './accept.ts'
import { type Attempt, decisionIdOf, findAttempt, isUnderWay } from './attempts.ts'
import { attemptsLeft, countedAs, readNextPlaces } from './quotas.ts'
import { publishedBy } from './receipt.ts'
import { readKey, readSecret } from './submission.ts'

export interface SubmissionDependencies {
  allowances: Allowances
  store: Store
  serviceKeys: ServiceKeys
  links: Links
  limits: Config['limits']
  clock: () => number
}

export const SUBMISSIONS_PER_MINUTE = 60

/** How long a review that runs usually takes. */
const REVIEW_SECONDS = 2

/** Adds GET /api/v1/agent/submissions/{key}: what became of a submission. It repeats nothing, and writes nothing. */
export function submissionRoute(app: FastifyInstance, deps: SubmissionDependencies): void {
  const { allowances, store, serviceKeys, links, limits, clock } = deps
  app.route<{ Params: { key: string } }>({
    method: 'GET',
    url: `${SUBMISSIONS_PATH}/:key`,
    // The handler checks the key, whose error is the one of a publish.
    schema: { response: submissionSchema.response },
    onRequest: [
      rejectCrossOrigin(links),
      rateLimit(allowances, {
        name: 'submissionsPerMinutePerIp',
        max: SUBMISSIONS_PER_MINUTE,
        windowMs: MINUTE_MS,
        isTold: true,
      }),
    ],
    handler: async (request, reply): Promise<SubmissionStatus> => {
      reply.header('cache-control', 'no-store')
      const attempt = await ownAttempt(store, request)
      const now = clock()
      // Read for an unknown submission, too, so that its answer takes as long.
      const from = countedAs(request, { hostname: attempt?.hostname ?? '' }, serviceKeys)
      const left = attemptsLeft(await readNextPlaces(store, from, now), limits)
      const { newAttemptsPerDayPerHost, ...remaining } = left
      return {
        ...(attempt ? await statusOf(store, attempt, links, now) : UNKNOWN),
        links: { publish: links.base + PUBLISH_PATH, support: links.support },
        remaining: attempt ? { ...remaining, newAttemptsPerDayPerHost } : remaining,
        remainingUntil: nextMidnight(now),
        chargeCreated: false,
      }
    },
  })
}

/**
 * Returns the submission with the key and the secret of a request. Undefined for an unknown key and for a wrong secret,
 * which the caller must not tell apart.
 *
 * @throws Problem invalid_idempotency_key or invalid_submission_secret
 */
async function ownAttempt(
  store: Store,
  { params, headers }: FastifyRequest<{ Params: { key: string } }>,
): Promise<Attempt | undefined> {
  const key = readKey(params.key)
  const secret = readSecret(headers)
  const attempt = await findAttempt(store, key)
  return matchesHash(secret, attempt?.secretHash) ? attempt : undefined
}

type Status = Omit<SubmissionStatus, 'links' | 'remaining' | 'remainingUntil' | 'chargeCreated'>

const UNKNOWN: Status = {
  state: 'unknown',
  repeatPublish: true,
  notice:
    'No submission has this key and secret. If you saved one and its publish was lost, send that publish now: the same request never lists twice.',
}

async function statusOf(store: Store, attempt: Attempt, links: Links, now: number): Promise<Status> {
  const about = { requestId: attempt.requestId, submittedAt: attempt.createdAt }
  const published = publishedBy(attempt, now)
  if (published) {
    const { status, slug, expiresAt } = published
    const decisionId = status === 'published' ? undefined : await hidingDecision(store.db, slug)
    return {
      ...about,
      ...LISTED[status],
      repeatPublish: false,
      productUrl: links.product(slug),
      expiresAt,
      ...decisionNamed(decisionId, links),
    }
  }
  if (attempt.state === 'rejected') {
    const { code, message, reason } = rejection(attempt)
    return {
      ...about,
      state: 'refused',
      repeatPublish: false,
      code,
      error: message,
      ...(reason && { reason }),
      ...decisionNamed(decisionIdOf(attempt), links),
      notice: 'The submission was refused. decisionUrl has the reasons, and how to appeal.',
    }
  }
  return { ...about, state: 'under_review', ...progressOf(attempt, now) }
}

const LISTED = {
  published: {
    state: 'published',
    notice: 'The listing is live and free. Repeating the publish request returns its receipt with the private link.',
  },
  unavailable: {
    state: 'hidden',
    notice: 'The listing is not shown at present. decisionUrl has the reasons, and how to appeal.',
  },
  expired: {
    state: 'ended',
    notice: 'The listing has ended. Repeating the publish request does not renew it; support can help.',
  },
} as const

/** Only a publish request reviews: if none does now, nothing happens until the agent repeats it. */
function progressOf(attempt: Attempt, now: number): Pick<Status, 'repeatPublish' | 'retryAfterSeconds' | 'notice'> {
  if (isUnderWay(attempt, now)) {
    const notice = 'The website is being reviewed. Ask again in a few seconds.'
    return { repeatPublish: false, retryAfterSeconds: REVIEW_SECONDS, notice }
  }
  const waitMs = (attempt.retryAt ?? 0) - now
  return {
    repeatPublish: true,
    ...(waitMs > 0 && { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) }),
    notice:
      'The review is not finished, and no request is working on it. Repeat the publish with the same key, secret and body.',
  }
}

const decisionNamed = (decisionId: string | undefined, links: Links): Pick<Status, 'decisionId' | 'decisionUrl'> =>
  decisionId === undefined ? {} : { decisionId, decisionUrl: `${links.base}${DECISIONS_PATH}/${decisionId}` }
