/**
 * Returns the number of edits between two texts: a character added, left out, changed, or swapped with its neighbour
 * (the restricted Damerau-Levenshtein distance, also called optimal string alignment).
 *
 * @param max the search stops as soon as there are more
 * @returns `max` + 1 if there are more than `max`
 */
export function editDistance(from: string, to: string, max = Number.POSITIVE_INFINITY): number {
  if (Math.abs(from.length - to.length) > max) return max + 1
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    if (Math.min(...current) > max) return max + 1
    before = above
    above = current
  }
  return Math.min(at(above, to.length), max + 1)
}

const at = (row: readonly number[], column: number): number => row[column] as number
