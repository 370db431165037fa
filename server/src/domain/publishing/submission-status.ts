import { DECISIONS_PATH, type SubmissionState, type SubmissionStatus } from '@placard/contract'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { hidingDecision, isOfNewOwner } from '../decisions/record.ts'
import { isGivenByProof, matchesHash } from '../ownership/owner-token.ts'
import { notYet } from '../review/reviewers/reviewers.ts'
import { rejection } from './accept.ts'
import { type Attempt, decisionIdOf, findAttempt, isUnderWay } from './attempts.ts'
import { provenNotice, publishedBy } from './receipt.ts'
import { readSavedKey, readSavedSecret } from './submission.ts'

/** How long a review that runs usually takes. */
const REVIEW_SECONDS = 2

/**
 * Returns the submission with the key and the secret of a request. Undefined for an unknown key and for a wrong secret,
 * which the caller must not tell apart.
 *
 * @throws Problem invalid_idempotency_key or invalid_submission_secret
 */
export async function ownAttempt(
  store: Store,
  { params, headers }: FastifyRequest<{ Params: { key: string } }>,
): Promise<Attempt | undefined> {
  const key = readSavedKey(params.key)
  const secret = readSavedSecret(headers)
  const attempt = await findAttempt(store, key)
  return matchesHash(secret, attempt?.secretHash) ? attempt : undefined
}

type Status = Omit<SubmissionStatus, 'links' | 'remaining' | 'remainingUntil' | 'chargeCreated'>

export const UNKNOWN: Status = {
  state: 'unknown',
  repeatPublish: true,
  notice:
    'No submission has this key and secret. If you saved one and its publish was lost, send that publish now: the same request never lists twice.',
}

/** Returns the state of a submission, and what follows from it. */
export async function statusOf(store: Store, attempt: Attempt, links: Links, now: number): Promise<Status> {
  const about = { requestId: attempt.requestId, submittedAt: attempt.createdAt }
  const published = publishedBy(attempt, now)
  if (published) {
    const { status, slug, expiresAt } = published
    const { decisionId, isOfNewOwner } = status === 'published' ? {} : await whyNotShown(store, slug)
    const isProven = status === 'published' && (await isGivenByProof(store, published))
    return {
      ...about,
      ...LISTED[status],
      repeatPublish: false,
      productUrl: links.product(slug),
      expiresAt,
      ...decisionNamed(decisionId, links),
      ...(isOfNewOwner && { notice: NEW_OWNER_NOTICE }),
      ...(isProven && { notice: provenNotice(links) }),
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

/** Returns why a listing is not shown. The decision is left out if it concerns only the person who has it now. */
export async function whyNotShown(
  store: Store,
  slug: string,
): Promise<{ decisionId?: string | undefined; isOfNewOwner?: true }> {
  const decisionId = await hidingDecision(store.db, slug)
  const [decision] = decisionId === undefined ? [] : await readerOf(store, { decisionId })
  return decision?.isOfNewOwner ? { isOfNewOwner: true } : { decisionId }
}

const readerOf = statement(
  { decisionId: 'text' },
  ({ decisionId }) => sql<{ isOfNewOwner: boolean | 0 | 1 }>`
    select ${isOfNewOwner(sql`own."listingId"`, 'own')} as "isOfNewOwner" from decision as own where id = ${decisionId}`,
)

const NEW_OWNER_NOTICE =
  'The listing is not shown at present. A person has claimed it by a proof of the website, and only they can read the reasons and appeal.'

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

/** Returns the state alone. */
export function stateOf(attempt: Attempt, now: number): SubmissionState {
  const published = publishedBy(attempt, now)
  if (published) return LISTED[published.status].state
  return attempt.state === 'rejected' ? 'refused' : 'under_review'
}

/** Only a publish request reviews: if none does now, nothing happens until the agent repeats it. */
function progressOf(attempt: Attempt, now: number): Pick<Status, 'repeatPublish' | 'retryAfterSeconds' | 'notice'> {
  if (isUnderWay(attempt, now)) {
    const notice = 'The website is being reviewed. Ask again in a few seconds.'
    return { repeatPublish: false, retryAfterSeconds: REVIEW_SECONDS, notice }
  }
  const { retryAfterSeconds } = notYet(attempt.retryAt, now) ?? {}
  return {
    repeatPublish: true,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    notice:
      'The review is not finished, and no request is working on it. Repeat the publish with the same key, secret and body.',
  }
}

export const decisionNamed = (
  decisionId: string | undefined,
  links: Links,
): Pick<Status, 'decisionId' | 'decisionUrl'> =>
  decisionId === undefined ? {} : { decisionId, decisionUrl: `${links.base}${DECISIONS_PATH}/${decisionId}` }
