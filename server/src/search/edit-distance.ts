/**
 * How many letters to insert, delete, change, or swap with the next, to turn one word into another (optimal string
 * alignment).
 *
 * @returns `max` + 1 if it is more than `max`
 */
export function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        at(above, j) + 1,
        at(row, j - 1) + 1,
        at(above, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    if (Math.min(...row) > max) return max + 1
    before = above
    above = row
  }
  return Math.min(at(above, other.length), max + 1)
}

const at = (row: number[], place: number): number => row[place] as number
