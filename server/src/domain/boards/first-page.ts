import { BOARD_PAGE_DEFAULT, type Board } from '@placard/contract'
import { isStoreFailure } from '../../platform/db/failures.ts'
import type { Page } from '../../platform/db/keyset.ts'
import type { Store } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { type BoardEntry, readBoard } from './board.ts'
import { readLedger } from './ledger.ts'
import { type CursorPage, readAtCursor } from './listed-places.ts'
import { boardKey } from './totals.ts'

/** A value from the database. */
export interface LastRead<Value> {
  value: Value
  /** When it was read, if it can't be read now. */
  asOf: number | undefined
}

interface CachedRead<Value> {
  read(now: number): Promise<Value>
  /** Whether the value is complete. Others are not cached. By default, all values are complete. */
  isComplete?(value: Value): boolean
  /** Whether a value that was read at `asOf` can still be shown. By default, every value can. */
  isUsable?(asOf: number, now: number): boolean
}

/** Older pages would mislead. */
const STALE_MAX_MS = DAY_MS

/**
 * Caches the data of the home page and the boards, to show it while the database is unreachable. The cache is in memory
 * only: Placard can't start without the database, and a cached value must never outlive a listing that was taken down.
 */
export class StaleCache {
  readonly #reads = new Map<string, { subject: CachedRead<unknown>; last?: { value: unknown; at: number } }>()
  #generation = 0

  /**
   * Reads a value and caches it under `key`. If the database is unreachable, returns the cached value.
   *
   * @param key one of a few, because nothing limits the size of the cache
   * @throws what `read` throws, if no cached value can be shown
   */
  async read<Value>(key: string, subject: CachedRead<Value>, now: number): Promise<LastRead<Value>> {
    const generation = this.#generation
    try {
      const value = await subject.read(now)
      // If a listing was taken down during the read, the value may still contain it.
      const isCacheable = generation === this.#generation && subject.isComplete?.(value) !== false
      if (isCacheable) this.#reads.set(key, { subject: subject as CachedRead<unknown>, last: { value, at: now } })
      return { value, asOf: undefined }
    } catch (error) {
      const last = isUnreachable(error) ? this.#reads.get(key)?.last : undefined
      if (!last || now - last.at > STALE_MAX_MS || subject.isUsable?.(last.at, now) === false) throw error
      return { value: last.value as Value, asOf: last.at }
    }
  }

  /** Reads every cached value again. @throws if one can't be read; the others stay */
  async renew(now: number): Promise<void> {
    for (const [key, { subject }] of this.#reads) await this.read(key, subject, now)
  }

  /** Discards all values, and those of reads in progress, and reads them again. */
  async drop(now: number): Promise<void> {
    this.#generation++
    for (const kept of this.#reads.values()) delete kept.last
    await this.renew(now)
  }
}

const isUnreachable = (error: unknown): boolean => isStoreFailure(error instanceof Problem ? error.cause : error)

/** Returns the headers of a reply from a cached value. Caches must revalidate it, so that the next request is made. */
export const agedHeaders = (asOf: number, now: number): Record<string, string> => ({
  'cache-control': 'no-cache',
  age: String(Math.max(0, Math.floor((now - asOf) / 1000))),
  warning: '110 - "Response is Stale"',
})

/**
 * Reads a page of a board. While the database is unreachable, the first page is the one that was read last, without a
 * next page.
 *
 * @param failure why the database is unreachable, if that is known
 * @throws Problem invalid_cursor; payment_evidence_unavailable if no page can be shown
 */
export async function readBoardPage(
  { store, staleCache }: { store: Store; staleCache: StaleCache },
  { board, cursor, limit }: { board: Board; cursor: string | undefined; limit: number },
  now: number,
  failure?: unknown,
): Promise<CursorPage<BoardEntry> & Pick<LastRead<unknown>, 'asOf'>> {
  let asOf: number | undefined
  const page = await readAtCursor(boardKey(board, now), cursor, async after => {
    const read = (at: number) =>
      failure === undefined
        ? readBoard(store, { board, after, limit }, at)
        : readLedger<Page<BoardEntry>>(() => Promise.reject(failure))
    if (after || limit > BOARD_PAGE_DEFAULT) return read(now)
    // The board of today changes at midnight.
    const isStill = (readAt: number, at: number) => boardKey(board, readAt) === boardKey(board, at)
    const last = await staleCache.read(`${board} ${limit}`, { read, isUsable: isStill }, now)
    asOf = last.asOf
    return asOf === undefined ? last.value : { rows: last.value.rows.map(withoutPicture), next: undefined }
  })
  return { ...page, asOf }
}

/** Removes the picture of a listing, because pictures are in the database, too. Its poster is drawn instead. */
export const withoutPicture = <Listing extends { pictureVersion: string | null }>(listing: Listing): Listing => ({
  ...listing,
  pictureVersion: null,
})
