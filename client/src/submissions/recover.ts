import { asPlacardError, type PlacardError } from '../error.ts'
import { PrivateLink } from '../secret.ts'
import { currentOfEach, selectSubmission } from './choose.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import type { Publication, PublicReceipt } from './publication.ts'
import type { Appeal, Approval, SubmissionState } from './record.ts'
import type { SubmissionStore } from './store.ts'
import { readSubmissions, type Submission, submissionsOf } from './submission.ts'

export interface SubmissionStatus {
  service: string
  destination: string
  category: string
  state: SubmissionState
  /** When the customer's yes was recorded, as an ISO date. */
  approvedAt: string
  approval?: Approval
  /** When the service last answered, as an ISO date. */
  answeredAt?: string
  /** The code of the last refusal, if there was one. */
  code?: string
  /** The decision that refused the submission or took the listing down. */
  decisionId?: string
  /** The appeal against it, if one was sent or was about to be. */
  appeal?: Appeal
  /** True if an appeal reversed the refusal, so that the same submission may be sent once more. */
  reopened?: boolean
  /** The latest receipt. */
  receipt?: PublicReceipt
  /** Manages the listing, as the service last returned it. Prints as `[private link]`. */
  privateLink?: PrivateLink
}

/** Returns the submission that counts of each destination, oldest first. Contacts no service. */
export async function listSubmissions(store: SubmissionStore): Promise<SubmissionStatus[]> {
  return currentOfEach(await readSubmissions(store)).map(statusOf)
}

/** See `PlacardClient.list`. */
export async function list(options: DeliverOptions): Promise<SubmissionStatus[]> {
  return currentOfEach(await submissionsOf(options)).map(statusOf)
}

/** See `PlacardClient.status`. */
export async function status(destination: string | undefined, options: DeliverOptions): Promise<SubmissionStatus> {
  const submission = selectSubmission(await submissionsOf(options), destination, options.store.name)
  if (submission.state === 'refused' || submission.state === 'postponed') return statusOf(submission)
  await options.store.sync()
  const { receipt, privateLink, decisionId } = await deliver(submission, true, options)
  const link = privateLink && { privateLink: privateLink.reveal() }
  const at = new Date().toISOString()
  const { key } = submission
  const outcome = { type: 'outcome', at, key, state: 'accepted', decisionId, receipt, ...link } as const
  return statusOf({ ...submission, state: 'accepted', outcome })
}

/** The result of resuming one submission: a publication or an error. */
export interface Resumed {
  destination: string
  category: string
  publication?: Publication
  error?: PlacardError
}

/** See `PlacardClient.resume`. */
export async function resume(options: DeliverOptions): Promise<Resumed[]> {
  const unfinished = currentOfEach(await submissionsOf(options)).filter(
    ({ state }) => state === 'unknown' || state === 'postponed',
  )
  await options.store.sync()
  const results: Resumed[] = []
  // One after another, because the service limits requests per address.
  for (const submission of unfinished) {
    const { destination, category } = submission
    const outcome = await deliver(submission, true, options).then(
      publication => ({ publication }),
      (thrown: unknown) => ({ error: asPlacardError(thrown, 'unknown') }),
    )
    results.push({ destination, category, ...outcome })
    if (options.signal?.aborted) break
  }
  return results
}

function statusOf({ outcome, appeals, ...submission }: Submission): SubmissionStatus {
  const { service, destination, category, state, at, approval } = submission
  const { code, decisionId, reopened, receipt, privateLink } = outcome ?? {}
  const appeal = decisionId === undefined ? undefined : appeals.get(decisionId)
  return {
    service,
    destination,
    category,
    state,
    approvedAt: at,
    ...(approval && { approval }),
    ...(outcome && { answeredAt: outcome.at }),
    ...(code !== undefined && { code }),
    ...(decisionId !== undefined && { decisionId }),
    ...(appeal && { appeal }),
    ...(reopened && { reopened }),
    ...(receipt !== undefined && { receipt: receipt as PublicReceipt }),
    ...(privateLink !== undefined && { privateLink: new PrivateLink(privateLink) }),
  }
}
