import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DECISION_HEADER, PUBLISH_PATH, type PublishBody, publishSchema, type Receipt } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import type { Links } from '../../platform/http/links.ts'
import { invalidBody, Problem } from '../../platform/http/problem.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { rejectCrossOrigin, requireJson } from '../../platform/http/request-checks.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { createSlots } from '../../platform/lib/slots.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { parseDestination } from '../destinations/destination.ts'
import { findListed, statusOf } from '../listings/listing.ts'
import { warn } from '../notifications/operator/warnings.ts'
import { ownerTokenText, recoverOwnerToken } from '../ownership/owner-token.ts'
import { requireAllKeys } from '../ownership/service-keys/recorded-keys.ts'
import { notYet } from '../review/reviewers/reviewers.ts'
import { type AcceptDependencies, accept, type Reserved, rejection } from './accept.ts'
import { useApproval } from './approvals.ts'
import { type Attempt, decisionIdOf, findAttempt, isUnderWay, reserveAttempt } from './attempts.ts'
import { countedAs } from './quotas.ts'
import { type Published, publishedBy, receiptFor, type WhyNoLink } from './receipt.ts'
import { renewAttempt, takeOverAttempt } from './renew-attempt.ts'
import {
  type AcceptableDependencies,
  isPredictable,
  readSubmission,
  requireAcceptable,
  type Submission,
} from './submission.ts'
import { whyNotShown } from './submission-status.ts'

export interface PublishDependencies extends AcceptDependencies, AcceptableDependencies {
  links: Links
  allowances: Allowances
  limits: Config['limits']
  /** Called once for each listing, with its slug. */
  onPublished?: ((slug: string) => void) | undefined
}

/** How long a replay waits for an identical request in progress, and how often it checks. */
export const WAIT_MS = 10_000
const POLL_MS = 100

/**
 * How many repeats of publishes in progress wait in one process, at most a quarter of them of one network: each holds a
 * connection, and reads the database again and again.
 */
const WAITING_MAX = 200
const waiting = createSlots({ atOnceMax: WAITING_MAX, reserved: WAITING_MAX, waitersMax: 0, waitMs: 0 })

const UNCONFIRMED_RETRY_SECONDS = 5

const unconfirmed = (cause?: unknown): Problem =>
  new Problem('publication_unconfirmed', { retryAfterSeconds: UNCONFIRMED_RETRY_SECONDS, cause })

/** @throws Problem publication_unconfirmed if `work` fails, as all of a publish does without the database */
const confirmed = <T>(work: Promise<T>): Promise<T> =>
  work.catch(cause => {
    throw unconfirmed(cause)
  })

/** Adds POST /api/v1/agent/listings (spec 4.1). The checks appear in the order in which they run. */
export function publishRoute(app: FastifyInstance, deps: PublishDependencies): void {
  app.route<{ Body: PublishBody }>({
    method: 'POST',
    url: PUBLISH_PATH,
    // A replay is answered even if its fields have become invalid, so the body is checked only when the request is
    // known to be new.
    schema: { response: publishSchema.response },
    onRequest: [
      rejectCrossOrigin(deps.links, 'A page of another origin cannot publish.'),
      rateLimit(deps.allowances, {
        name: 'requestsPerTenMinutesPerIp',
        max: deps.limits.requestsPerTenMinutesPerIp,
        windowMs: TEN_MINUTES_MS,
        inHeaders: true,
      }),
      requireJson,
    ],
    handler: async (request, reply): Promise<Receipt> => {
      const submission = readSubmission(request.headers, request.body)
      const { published, replayed } = await publish(deps, submission, request.body, request)
      const { decisionId } =
        published.status === 'published' ? {} : await confirmed(whyNotShown(deps.store, published.slug))
      const ownerToken = await confirmed(ownerTokenOf(deps, published, submission.secret))
      if (ownerToken === 'key_missing') {
        request.log.warn({ requestId: published.requestId }, 'no available service key recovers the private link')
        void warn(deps.store, 'key_missing', deps.clock())
        await confirmed(requireAllKeys(deps.store.db, deps.serviceKeys))
      }
      reply.code(replayed ? 200 : 201).header('cache-control', 'no-store')
      if (replayed) reply.header('idempotent-replayed', 'true')
      if (decisionId) reply.header(DECISION_HEADER, decisionId)
      return receiptFor(published, ownerToken, deps.links)
    },
  })
}

/** Returns the owner token of a published listing, or why there is none. */
async function ownerTokenOf(
  { store, serviceKeys }: PublishDependencies,
  published: Published,
  secret: Secret,
): Promise<{ text: string } | WhyNoLink> {
  if (published.status !== 'published') return 'not_published'
  const token = published.ownerToken ?? (await recoverOwnerToken(store.db, serviceKeys, published, secret))
  return typeof token === 'string' ? token : { text: ownerTokenText(token) }
}

/**
 * Publishes a submission once, however often and from wherever it is sent.
 *
 * @param request whose client is counted
 * @throws Problem for every refusal, stored or new; `publication_unconfirmed` if the database fails
 */
export async function publish(
  deps: PublishDependencies,
  submission: Submission,
  body: PublishBody,
  request: FastifyRequest,
): Promise<{ published: Published; replayed: boolean }> {
  let release: (() => void) | undefined
  try {
    const giveUpAt = performance.now() + WAIT_MS
    while (performance.now() < giveUpAt) {
      const attempt = await findAttempt(deps.store, submission.idempotencyKey)
      const replayed = attempt && storedOutcome(attempt, submission, deps.clock())
      if (replayed) return { published: replayed, replayed: true }

      const reserved = attempt
        ? await takeOver(deps, attempt, body, request)
        : await reserve(deps, submission, body, request).catch(error => otherOutcome(deps, submission, error))
      const published = reserved && (await accept(deps, reserved, submission, body))
      if (published) {
        request.log.info({ requestId: published.requestId, slug: published.slug }, 'published')
        deps.onPublished?.(published.slug)
        return { published, replayed: false }
      }

      // Another request holds the lease: it will settle the attempt, or its lease will expire.
      release ??= await waiting.acquire({ networks: clientNetworks(request) })
      if (!release) break
      await sleep(POLL_MS)
    }
  } catch (error) {
    if (error instanceof Problem) throw await confirmed(withProduct(deps, body, error))
    throw unconfirmed(error)
  } finally {
    release?.()
  }
  throw unconfirmed()
}

/**
 * A new submission may be refused because an identical request was reserved or published after this one looked for it:
 * its destination is listed then. That request's outcome is the answer to both.
 *
 * @returns undefined if there is such a request
 * @throws the refusal otherwise
 */
async function otherOutcome(
  { store }: PublishDependencies,
  { idempotencyKey }: Submission,
  refusal: unknown,
): Promise<undefined> {
  if (!(await findAttempt(store, idempotencyKey))) throw refusal
}

/** Returns the refusal of a destination that is listed with the public page of that listing, and any other as it is. */
async function withProduct({ store, links, clock }: PublishDependencies, body: PublishBody, problem: Problem) {
  const { code, decisionId, replayed } = problem
  if (code !== 'destination_already_listed') return problem
  const listed = await findListed(store, parseDestination(body.destination, links.hostname).key)
  const isPublic = listed && statusOf(listed, clock()) === 'published'
  return new Problem(code, {
    productUrl: isPublic ? links.product(listed.slug) : undefined,
    decisionId,
    replayed,
  })
}

/**
 * Returns the outcome for a replay, before anything that changes with time is checked: rules, categories, window,
 * quotas.
 *
 * @returns undefined while the attempt is unsettled
 * @throws Problem idempotency_conflict, the same whichever part differs; or the stored refusal
 */
function storedOutcome(attempt: Attempt, submission: Submission, now: number): Published | undefined {
  const sameSecret = timingSafeEqual(Buffer.from(attempt.secretHash), Buffer.from(submission.secretHash))
  const sameBody = attempt.fingerprint === submission.fingerprint
  if (!sameSecret || !sameBody) throw new Problem('idempotency_conflict')
  if (attempt.state === 'rejected') {
    throw rejection(attempt, { decisionId: decisionIdOf(attempt), replayed: true })
  }
  return publishedBy(attempt, now)
}

/**
 * Claims an attempt whose lease is free; otherwise returns undefined.
 *
 * @throws Problem review_unavailable if its website timed out and must not be fetched yet
 */
async function takeOver(
  { store, links, clock }: PublishDependencies,
  attempt: Attempt,
  body: PublishBody,
  request: FastifyRequest,
): Promise<Reserved | undefined> {
  const now = clock()
  if (isUnderWay(attempt, now)) return undefined
  const tooEarly = notYet(attempt.retryAt, now)
  if (tooEarly) throw tooEarly
  const destination = parseDestination(body.destination, links.hostname)
  const lease = await store.transact(trx => takeOverAttempt(trx, attempt, clock()))
  return lease && { lease, destination, networks: clientNetworks(request) }
}

/**
 * Refuses credentials that were made up. Only for new submissions: a receipt stays recoverable with whatever published
 * it.
 *
 * @throws Problem invalid_idempotency_key or invalid_submission_secret
 */
function requireRandom({ idempotencyKey, secret }: Submission): void {
  const detail = 'It repeats a pattern, or was copied from an example, so others can guess it.'
  if (isPredictable(idempotencyKey)) throw new Problem('invalid_idempotency_key', { detail })
  if (isPredictable(secret.reveal().toString('hex'))) throw new Problem('invalid_submission_secret', { detail })
}

/** Checks a new submission and reserves its attempt; undefined if an identical request was first. */
async function reserve(
  deps: PublishDependencies,
  submission: Submission,
  body: PublishBody,
  request: FastifyRequest,
): Promise<Reserved | undefined> {
  const { store, links, serviceKeys, limits, clock } = deps
  const isValid = request.compileValidationSchema(publishSchema.body)
  if (!isValid(body)) throw invalidBody(isValid.errors ?? [], body)
  requireRandom(submission)
  const destination = parseDestination(body.destination, links.hostname)
  const now = clock()
  const { approvalCode } = body.approval
  await requireAcceptable(deps, destination, now)
  const from = countedAs(request, destination, serviceKeys)
  if (approvalCode !== undefined) await useApproval(store, approvalCode, { ...body, ...submission, destination }, now)
  // A code belongs to the key that used it.
  const renew = approvalCode === undefined ? renewAttempt : async () => undefined
  const lease = await reserveAttempt(store, submission, from, limits, now, renew)
  return lease && { lease, destination, networks: clientNetworks(request) }
}
