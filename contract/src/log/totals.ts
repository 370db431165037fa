/** What counts for a listing on a board. */
export interface Total {
  totalCents: number
  /** Unix milliseconds; 0 without a total. */
  reachedAt: number
}

const FIRST_SLOTS = 16

/**
 * The totals of a board, by listing. A log of a million entries has half a million of them, so they are numbers in a row
 * instead of objects: that takes a third of the memory, and leaves nothing to collect.
 */
export class Totals {
  /** By listing, where its two numbers are. */
  readonly #slots = new Map<number, number>()
  #numbers = new Float64Array(2 * FIRST_SLOTS)

  get(listing: number): Total | undefined {
    const slot = this.#slots.get(listing)
    return slot === undefined ? undefined : this.#at(slot)
  }

  #at(slot: number): Total | undefined {
    const [totalCents, reachedAt] = [this.#numbers[2 * slot] ?? 0, this.#numbers[2 * slot + 1] ?? 0]
    return totalCents === 0 ? undefined : { totalCents, reachedAt }
  }

  /** A total of 0 is none. */
  set(listing: number, { totalCents, reachedAt }: Total): void {
    const slot = this.#slots.get(listing) ?? this.#slots.size
    this.#slots.set(listing, slot)
    if (2 * slot >= this.#numbers.length) {
      const wider = new Float64Array(2 * this.#numbers.length)
      wider.set(this.#numbers)
      this.#numbers = wider
    }
    this.#numbers.set([totalCents, reachedAt], 2 * slot)
  }

  *[Symbol.iterator](): Generator<[number, Total]> {
    for (const [listing, slot] of this.#slots) {
      const total = this.#at(slot)
      if (total) yield [listing, total]
    }
  }
}
