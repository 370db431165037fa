import { lastCommit } from '../db/last-commit.ts'
import type { Store } from '../db/store.ts'
import { type Kept, remembered } from '../lib/cache.ts'

interface Replies<Subject, Reply> extends Omit<Kept<Subject, Reply>, 'untilOf'> {
  /** Makes a reply from the database. @param failure why that is unreachable, if it is */
  read(subject: Subject, now: number, failure?: unknown): Promise<Reply>
}

/**
 * Keeps replies until any process commits anything to the database, or time changes them. So a reply is never older than
 * what was acknowledged before it was requested. Replies to the same request at once are made once.
 *
 * A reply says in `until` when time alone changes it. If that has passed, it is not kept.
 *
 * @returns a function of a subject and the time
 */
export function keptReplies<Subject, Reply extends { until: number }>(
  store: Store,
  { read, ...kept }: Replies<Subject, Reply>,
): (subject: Subject, now: number) => Promise<Reply> {
  // What is read contains the commit, and maybe later ones. Then the next request finds another.
  const ask = remembered<Subject, Reply>(read, { ...kept, untilOf: ({ until }) => until })
  return async (subject, now) => {
    let commit: unknown
    try {
      commit = await lastCommit(store)
    } catch (failure) {
      // Another attempt would wait as long again for a server that does not answer.
      return read(subject, now, failure)
    }
    return ask(subject, now, commit)
  }
}
