import { messageOf, PlacardError, usageError } from '../error.ts'
import { type JournalRecord, recordFrom } from './record.ts'

/**
 * Stores what is sent, so that it can be sent again: a list of records that only grows. It holds secrets.
 *
 * Records must survive a crash. Everyone who appends and then reads must see the records in the same order, because the
 * first submission of a destination wins. `fileStore` and `memoryStore` are such stores. A database with one table and
 * a counter makes another.
 */
export interface SubmissionStore {
  /** The store's name in messages, such as its path. */
  readonly name: string
  /** Adds a record at the end. When this resolves, the record is stored permanently. */
  append(record: JournalRecord): Promise<void>
  /** All records, oldest first. */
  read(): Promise<JournalRecord[]>
  /**
   * When this resolves, every record that `read` returned is stored permanently, including what another process has
   * just written.
   */
  sync(): Promise<void>
}

/** Returns a store in memory. If the process ends before the receipt arrives, the receipt is lost permanently. */
export function memoryStore(): SubmissionStore {
  const records: JournalRecord[] = []
  return {
    name: 'memory',
    append: async record => void records.push(structuredClone(record)),
    read: async () => structuredClone(records),
    sync: async () => {},
  }
}

/** Returns the store, with everything that a caller's own store throws turned into this package's error. */
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
        throw unusable(name, 'it returned something other than its records')
      }),
  }
}

const isRecord = (value: unknown): value is JournalRecord =>
  typeof value === 'object' && value !== null && recordFrom({ ...value }, false) !== undefined

/** Returns the error for a store that cannot be read or written. */
export const unusable = (name: string, why: string) =>
  usageError(
    'journal_unusable',
    `Cannot use the journal ${name}: ${why}`,
    'Nothing was sent: without a journal, a receipt could be lost. Free the disk, fix the file’s permissions, or name another file.',
    'store',
  )
