import { readDiscoveryCursor } from './discovery-cursor.ts'

/** Where a page of what was found ended: the page that follows it begins right after. */
export interface SearchCursor {
  /** As `scorer` gives it; 0 where the order is by newest. */
  score: number
  id: number
}

/** A cursor as part of an address, such as `1250000-42`. */
export const writeSearchCursor = ({ score, id }: SearchCursor): string => `${score}-${id}`

/** The cursor in a part of an address, or undefined where `writeSearchCursor` would not write it so. */
export function readSearchCursor(text: unknown): SearchCursor | undefined {
  const numbers = readDiscoveryCursor(text)
  return numbers && { score: numbers.publishedAt, id: numbers.id }
}
