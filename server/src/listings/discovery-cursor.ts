/** A place in the order of discovery: the page that follows it begins right after. */
export interface DiscoveryCursor {
  /** Unix milliseconds. */
  publishedAt: number
  id: number
}

/** Before everything: where a first page begins. */
export const START: DiscoveryCursor = { publishedAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** A cursor as part of an address, such as `1757160000000-42`. It is no secret. */
export const writeDiscoveryCursor = ({ publishedAt, id }: DiscoveryCursor): string => `${publishedAt}-${id}`

/** The cursor in a part of an address, or undefined where `writeDiscoveryCursor` would not write it so. */
export function readDiscoveryCursor(text: unknown): DiscoveryCursor | undefined {
  const [, publishedAt, id] = (typeof text === 'string' && SHAPE.exec(text)) || []
  return publishedAt !== undefined && id !== undefined
    ? { publishedAt: Number(publishedAt), id: Number(id) }
    : undefined
}

/** Numbers that are exact, in one spelling each. */
const SHAPE = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/
