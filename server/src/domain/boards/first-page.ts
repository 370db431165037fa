import { BOARD_PAGE_DEFAULT, type Board } from '@placard/contract'
import { isStoreFailure } from '../../platform/db/failures.ts'
import type { Store } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type BoardPlaces, readBoard } from './board.ts'
import { boardKey } from './totals.ts'

/** What was read, and if it could not be read just now, when it was read last, in Unix milliseconds. */
export interface LastRead<Value> {
  value: Value
  asOf: number | undefined
}

/** What can be kept. */
interface Kept<Value> {
  read(now: number): Promise<Value>
  /** Whether it is worth keeping; if left out, it always is. */
  isWhole?(value: Value): boolean
  /** Whether what was read at `asOf` is still true of now, if it is not always. */
  isStill?(asOf: number, now: number): boolean
}

/** An older page would rather mislead than help. */
const KEPT_MS = 24 * 3600 * 1000

/**
 * Keeps what the home page and the boards were last made from, for while the database is away. It is in memory only: a
 * start needs the database anyway, and what is kept must never outlive a listing that was taken down.
 */
export class LastGood {
  readonly #kept = new Map<string, { subject: Kept<unknown>; last?: { value: unknown; at: number } }>()
  #era = 0

  /**
   * Reads, and keeps what was read under `key`; gives what is kept there if the database is away.
   *
   * @param key one of a few: what was asked for once is kept from then on
   * @throws what `read` throws, if nothing is kept that may still be shown
   */
  async read<Value>(key: string, subject: Kept<Value>, now: number): Promise<LastRead<Value>> {
    const era = this.#era
    try {
      const value = await subject.read(now)
      // Something was taken down meanwhile, and may be in it.
      const isKept = era === this.#era && subject.isWhole?.(value) !== false
      if (isKept) this.#kept.set(key, { subject: subject as Kept<unknown>, last: { value, at: now } })
      return { value, asOf: undefined }
    } catch (error) {
      const last = isDatabaseAway(error) ? this.#kept.get(key)?.last : undefined
      if (!last || now - last.at > KEPT_MS || subject.isStill?.(last.at, now) === false) throw error
      return { value: last.value as Value, asOf: last.at }
    }
  }

  /** Reads everything again that is kept. @throws if that cannot be read; the rest stays */
  async renew(now: number): Promise<void> {
    for (const [key, { subject }] of this.#kept) await this.read(key, subject, now)
  }

  /** Forgets everything, also what is being read, and reads it again. */
  async drop(now: number): Promise<void> {
    this.#era++
    for (const kept of this.#kept.values()) delete kept.last
    await this.renew(now)
  }
}

const isDatabaseAway = (error: unknown): boolean => isStoreFailure(error instanceof Problem ? error.cause : error)

/** Headers of a reply that was made earlier. No cache may keep it, so that the next visitor asks again. */
export const agedHeaders = (asOf: number, now: number): Record<string, string> => ({
  'cache-control': 'no-cache',
  age: String(Math.max(0, Math.floor((now - asOf) / 1000))),
  warning: '110 - "Response is Stale"',
})

/**
 * The first page of a board; while the database is away, as it was last read, and without a next page.
 *
 * @throws Problem payment_evidence_unavailable if nothing is kept
 */
export async function readFirstPlaces(
  { store, lastGood }: { store: Store; lastGood: LastGood },
  { board, limit }: { board: Board; limit: number },
  now: number,
): Promise<LastRead<BoardPlaces>> {
  const first = (count: number) => (at: number) => readBoard(store, { board, limit: count }, at)
  if (limit > BOARD_PAGE_DEFAULT) return { value: await first(limit)(now), asOf: undefined }
  const { value, asOf } = await lastGood.read(
    `${board} ${limit}`,
    {
      read: first(limit),
      // Yesterday's board is not today's.
      isStill: (asOf, at) => boardKey(board, asOf) === boardKey(board, at),
    },
    now,
  )
  if (asOf === undefined) return { value, asOf }
  return { value: { entries: value.entries.map(withoutPicture), next: undefined }, asOf }
}

/** Pictures are in the database too: a placard is drawn instead. */
export const withoutPicture = <Listing extends { pictureVersion: string | null }>(listing: Listing): Listing => ({
  ...listing,
  pictureVersion: null,
})
