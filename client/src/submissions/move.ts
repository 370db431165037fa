import { neededStore } from '../check.ts'
import { usageError } from '../error.ts'
import type { JournalRecord, SubmissionRecord } from './record.ts'
import { guarded, type SubmissionStore } from './store.ts'

/** How many records of a journal were new to another. */
export interface Merged {
  submissions: number
  added: number
}

/**
 * Adds every record of one store to another that it does not have yet. Removes none, in whatever order they were
 * written. If the stores disagree about a key, throws `journal_conflict` before anything is written.
 */
export async function mergeSubmissions(from: SubmissionStore, into: SubmissionStore): Promise<Merged> {
  const [source, target] = [guarded(neededStore('from', from)), guarded(neededStore('into', into))]
  const [records, existing] = [await source.read(), await target.read()]
  const present = new Set(existing.map(identity))
  const keys = new Map(submissionsIn(existing).map(one => [one.key, sent(one)]))
  for (const one of submissionsIn(records)) {
    if ((keys.get(one.key) ?? sent(one)) !== sent(one)) throw conflict(source.name, target.name)
  }
  const fresh = new Map(records.map(record => [identity(record), record] as const))
  let added = 0
  for (const [id, record] of fresh) {
    if (present.has(id)) continue
    await target.append(record)
    added++
  }
  return { submissions: new Set(submissionsIn(records).map(({ key }) => key)).size, added }
}

const submissionsIn = (records: JournalRecord[]) => records.filter(record => record.type === 'submission')

/** Returns a record's content in a fixed order of its fields. */
const identity = (record: JournalRecord) =>
  JSON.stringify(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

const sent = ({ service, secret, body }: SubmissionRecord) => JSON.stringify([service, secret, body])

const conflict = (from: string, into: string) =>
  usageError(
    'journal_conflict',
    `The journals ${from} and ${into} disagree about the same submission.`,
    'Nothing was changed. One of them was edited by hand: keep both, and use each with --journal.',
  )
