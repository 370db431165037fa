import { createHmac, randomBytes } from 'node:crypto'

const HOUR_MS = 60 * 60 * 1000

/** What is remembered of one hour, some megabytes at the most; the oldest is forgotten first. */
const REMEMBERED_MAX = 100_000

/**
 * Tells what happens for the first time in an hour from what happens again, so that nobody can count up. It remembers
 * keyed hashes in memory. The key is random, for this process and this hour, and is thrown away with them.
 */
export class CountedOnce {
  #hour: number | undefined
  #key = randomBytes(32)
  /** In the order in which they came. */
  #seen = new Set<number>()

  /** @param now in Unix milliseconds */
  isFirst(what: string, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#key = randomBytes(32)
      this.#seen.clear()
    }
    // 48 bits: of a hundred thousand, one in billions is taken for another.
    const hash = createHmac('sha256', this.#key).update(what).digest().readUIntBE(0, 6)
    if (this.#seen.has(hash)) return false
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.delete(this.#seen.values().next().value as number)
    this.#seen.add(hash)
    return true
  }
}
