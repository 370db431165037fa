import { createHmac, randomBytes } from 'node:crypto'

const HOUR_MS = 60 * 60 * 1000

/** How much to remember per hour, a few megabytes at most. The oldest is forgotten first. */
const REMEMBERED_MAX = 100_000

/**
 * Tells what happens for the first time in an hour, so that repeating it counts nothing. Remembers keyed hashes in
 * memory. The key is random, belongs to this process and this hour, and is thrown away with the hashes.
 */
export class CountedOnce {
  #hour: number | undefined
  #key = randomBytes(32)
  /** Oldest first. */
  #seen = new Set<number>()

  /** @param now in Unix milliseconds */
  isFirst(what: string, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#key = randomBytes(32)
      this.#seen.clear()
    }
    // 48 bits: with a hundred thousand hashes, the chance that a new one collides is one in billions.
    const hash = createHmac('sha256', this.#key).update(what).digest().readUIntBE(0, 6)
    if (this.#seen.has(hash)) return false
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.delete(this.#seen.values().next().value as number)
    this.#seen.add(hash)
    return true
  }
}
