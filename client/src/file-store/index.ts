import { resolve } from 'node:path'
import { optionalText } from '../check.ts'
import { asPlacardError } from '../error.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { appendRecord, readRecords, syncJournal } from './journal.ts'
import { defaultJournalPath } from './path.ts'

export { writeNewJournal } from './journal.ts'
export { defaultJournalPath }

/**
 * Returns a store in a file that only its owner can read, on Node, Bun and Deno. The default is the command's own
 * journal. Several processes may use it at once on a local disk. Throws `journal_unusable` if there is no path and no
 * home folder, and `invalid_option`.
 */
export function fileStore(path?: string): SubmissionStore {
  try {
    const name = resolve(optionalText('path', path) ?? defaultJournalPath())
    return {
      name,
      append: record => appendRecord(name, record),
      read: () => readRecords(name),
      sync: () => syncJournal(name),
    }
  } catch (thrown) {
    throw asPlacardError(thrown, 'usage')
  }
}
