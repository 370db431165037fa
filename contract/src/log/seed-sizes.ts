/** The size of a log: up to its last entry of a UTC day, and up to its last one that is not late in the evening. */
type DayEnd = [whole: number, early: number]

/** What `save` returns: JSON. */
export interface SavedSeedSizes {
  ends: Record<string, DayEnd>
  sizes: Record<string, [least: number, most: number]>
}

/** Entries from this time of a day on may get their place after the draw of the next day: see `LATE_MAX_MS`. */
const LATE_FROM = '23:55'

/**
 * The allowed log sizes for the seeds of draws: those at midnight. A site that could choose any size could choose which
 * listings are drawn.
 */
export class SeedSizes {
  readonly #ends = new Map<string, DayEnd>()
  readonly #sizes = new Map<string, [least: number, most: number]>()

  constructor(saved?: SavedSeedSizes) {
    for (const [day, end] of Object.entries(saved?.ends ?? {})) this.#ends.set(day, end)
    for (const [day, sizes] of Object.entries(saved?.sizes ?? {})) this.#sizes.set(day, sizes)
  }

  save(): SavedSeedSizes {
    return { ends: Object.fromEntries(this.#ends), sizes: Object.fromEntries(this.#sizes) }
  }

  /** Adds an entry. @param size of the log with it */
  add(time: string, size: number): void {
    const day = time.slice(0, 10)
    const early = this.#ends.get(day)?.[1] ?? 0
    this.#ends.set(day, [size, time.slice(11, 16) < LATE_FROM ? size : early])
  }

  /** Records the allowed sizes of a day's draw, from the entries added so far. */
  addDraw(day: string): void {
    const dayBefore = new Date(Date.parse(day) - 1).toISOString().slice(0, 10)
    const before = [...this.#ends].filter(([ended]) => ended < day)
    const least = Math.max(0, ...before.map(([ended, [whole, early]]) => (ended === dayBefore ? early : whole)))
    this.#sizes.set(day, [least, Math.max(0, ...before.map(([, [whole]]) => whole))])
  }

  /** Returns what is wrong with the log size that a draw names; undefined if it is allowed. */
  faultOf(day: string, size: number): string | undefined {
    const [least, most] = this.#sizes.get(day) ?? [0, Number.POSITIVE_INFINITY]
    if (size >= least && size <= most) return undefined
    return `The seed of the draw of ${day} is of the first ${size} entries of the log, which had ${most} at midnight.`
  }
}
