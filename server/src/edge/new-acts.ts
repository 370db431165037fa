/**
 * Decisions are counted by when their ids were made, which several instances do by clocks that differ a little, and
 * before they are committed. So one can appear below another that was seen before; it has to be within this time.
 */
const LATE_MAX_MS = 60_000

/** Tells the decisions that were not seen before, by their ids, which are UUIDv7. */
export class NewActs {
  /** The newest id that is known of. */
  last = ''
  readonly #seen = new Set<string>()

  /** Decisions above this text have to be read again. */
  get after(): string {
    if (this.last === '') return ''
    const madeAt = Number.parseInt(this.last.slice(0, 13).replace('-', ''), 16)
    const text = Math.max(0, madeAt - LATE_MAX_MS)
      .toString(16)
      .padStart(12, '0')
    return `${text.slice(0, 8)}-${text.slice(8)}`
  }

  /** @param rows above `after`, by id @returns those that are new; they count as seen from now on */
  take<Row extends { id: string }>(rows: readonly Row[]): Row[] {
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    const newest = rows.at(-1)?.id ?? ''
    if (newest > this.last) this.last = newest
    const { after } = this
    for (const id of this.#seen) if (id <= after) this.#seen.delete(id)
    return fresh
  }
}
