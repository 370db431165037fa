/**
 * Returns what `make` makes, from the first call on. For what a process may never need: the formats of `Intl` and large
 * sets of words take 3 to 20 ms of each start.
 */
export function lazily<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
