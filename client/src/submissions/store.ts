import { messageOf, PlacardError, usageError } from '../error.ts'
import { type JournalRecord, recordFrom } from './record.ts'

/**
 * Keeps what is sent, so that it can be sent again: a list of records that only grows. It holds secrets.
 *
 * What is written must survive a crash, and whoever appends and then reads must see the records in the same order as
 * everybody else: the first submission of a destination wins. `fileStore` and `memoryStore` are two; a database with
 * one table and a counter makes another.
 */
export interface SubmissionStore {
  /** What to call it in messages, such as its path. */
  readonly name: string
  /** Adds a record at the end. When this resolves, the record is kept for good. */
  append(record: JournalRecord): Promise<void>
  /** All records, oldest first. */
  read(): Promise<JournalRecord[]>
  /** When this resolves, everything that `read` gave is kept for good, also what another process has just written. */
  sync(): Promise<void>
}

/** Keeps submissions as long as the process lives. If it ends before the receipt is there, nobody can get it again. */
export function memoryStore(): SubmissionStore {
  const records: JournalRecord[] = []
  return {
    name: 'in memory',
    append: async record => void records.push(structuredClone(record)),
    read: async () => structuredClone(records),
    sync: async () => {},
  }
}

/** The store, with whatever a caller's own one throws or returns turned into this package's error. */
export function guarded(store: SubmissionStore): SubmissionStore {
  const { name } = store
  const guard = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (thrown) {
      if (thrown instanceof PlacardError) throw thrown
      throw unusable(name, messageOf(thrown))
    }
  }
  return {
    name,
    append: record => guard(() => store.append(record)),
    sync: () => guard(() => store.sync()),
    read: () =>
      guard(async () => {
        const records: unknown = await store.read()
        if (Array.isArray(records) && records.every(isRecord)) return records
        throw unusable(name, 'it gave something that is not its records')
      }),
  }
}

const isRecord = (value: unknown): value is JournalRecord =>
  typeof value === 'object' && value !== null && recordFrom({ ...value }, false) !== undefined

/** The error for a store that cannot be read or written. */
export const unusable = (name: string, why: string) =>
  usageError(
    'journal_unusable',
    `Cannot use the journal ${name}: ${why}`,
    'Nothing was sent: without it a receipt could be lost. Free the disk, mend its permissions, or name another file.',
    'store',
  )
