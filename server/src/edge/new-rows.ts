/**
 * PostgreSQL counts ids when they are taken, not when they are committed, so a row can appear below one that was seen
 * before. It has to be within this many.
 */
const LATE_MAX = 200

/** Tells the rows of a growing table that were not seen before. */
export class NewRows {
  /** The highest id that is known of. */
  last = 0
  readonly #seen = new Set<number>()

  /** Rows above this id have to be read again. */
  get after(): number {
    return Math.max(0, this.last - LATE_MAX)
  }

  /** @param rows above `after`, by id @returns those that are new; they count as seen from now on */
  take<Row extends { id: number }>(rows: readonly Row[]): Row[] {
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    this.last = Math.max(this.last, rows.at(-1)?.id ?? 0)
    for (const id of this.#seen) if (id <= this.after) this.#seen.delete(id)
    return fresh
  }
}
