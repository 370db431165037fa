import { ofDestination } from './choose.ts'
import type { Approval } from './record.ts'
import type { SubmissionStore } from './store.ts'
import { readSubmissions, type Wanted } from './submission.ts'

/** Returns the stored approval of exactly this submission: a repeat publishes nothing new. */
export async function approvedBefore(store: SubmissionStore, wanted: Wanted): Promise<Approval | undefined> {
  const same = ofDestination(await readSubmissions(store), wanted.service, wanted.destination)
  const live = same.find(({ state, category }) => state !== 'refused' && category === wanted.category)
  return live && (live.approval ?? { how: 'before' })
}
