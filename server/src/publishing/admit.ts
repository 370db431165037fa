import type { Destination } from '../destinations/destination.ts'
import { Problem } from '../http/problem.ts'
import { isListed } from '../listings/listing.ts'
import type { Store } from '../storage/store.ts'

export interface AdmitDependencies {
  store: Store
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
}

/**
 * The cheap checks of a new submission, before its quotas.
 *
 * @throws Problem submissions_closed or destination_already_listed
 */
export async function admit(
  { store, submissionsEndAt }: AdmitDependencies,
  destination: Destination,
  now: number,
): Promise<void> {
  if (submissionsEndAt !== undefined && now >= submissionsEndAt) throw new Problem('submissions_closed')
  if (await isListed(store, destination.key)) throw new Problem('destination_already_listed')
}
