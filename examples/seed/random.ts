/** Numbers that look random but are always the same for the same text. */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number
  /** From `low` up to but not including `high`. */
  between(low: number, high: number): number
  pick<T>(items: readonly T[]): T
  /** The items in another order. */
  shuffled<T>(items: readonly T[]): T[]
}

export function randomFrom(text: string): Random {
  let state = 2_166_136_261
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619)

  // Mulberry32: a few lines, and even enough for a board that only has to look alive.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: items => items[Math.floor(next() * items.length)] as (typeof items)[number],
    shuffled: items =>
      items
        .map(item => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  }
}
