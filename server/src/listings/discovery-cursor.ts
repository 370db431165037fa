/** A position in discovery: the next page begins right after it. */
export interface DiscoveryCursor {
  /** Unix milliseconds. */
  publishedAt: number
  id: number
}

/** Where the first page begins. */
export const START: DiscoveryCursor = { publishedAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** Encodes a cursor for an address, such as `1757160000000-42`. It is not secret. */
export const writeDiscoveryCursor = ({ publishedAt, id }: DiscoveryCursor): string => `${publishedAt}-${id}`

/** Parses a cursor; undefined for anything `writeDiscoveryCursor` would not write. */
export function readDiscoveryCursor(text: unknown): DiscoveryCursor | undefined {
  const [, publishedAt, id] = (typeof text === 'string' && SHAPE.exec(text)) || []
  return publishedAt !== undefined && id !== undefined
    ? { publishedAt: Number(publishedAt), id: Number(id) }
    : undefined
}

/** Exact numbers, each with one spelling. */
const SHAPE = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/
