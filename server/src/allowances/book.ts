/** What a key may do in a window, which begins with the first time and ends after its length. */
export interface Limit {
  /** One of its kind in the service. */
  name: string
  max: number
  windowMs: number
}

/** One process asks for its part of a key's allowance. */
export interface Ask extends Limit {
  key: string
  /** How many wait for it. */
  wanted: number
  /** The `spare` of its last lease in this window, used up by now. */
  spent: number
}

/** What a process may let through on its own. */
export interface Lease {
  granted: number
  /** How many of them nobody waits for yet. */
  spare: number
  /** What no process has of the window's allowance. */
  left: number
  /** Until the window ends, in milliseconds. */
  endsInMs: number
}

/** Where processes share what their clients may do. */
export interface Book {
  /** @returns a lease for each, in the same order @throws if the book cannot be reached */
  lease(asks: readonly Ask[]): Promise<readonly Lease[]>
}

/** What a book knows of a window. */
export interface Entry {
  granted: number
  /** The spare of all leases that are not known to be used up. */
  spare: number
}

/**
 * How much of an allowance may be lost: what processes hold when the client goes on at others. Together they never hold
 * more than this share in spare, so at least 95 % can be used, however many processes there are.
 */
export const SPARE_PARTS = 20

/** The next lease of a window. Each takes half of the spare that is free, so that another process finds some, too. */
export function nextLease(
  { granted, spare }: Entry,
  { max, wanted, spent }: Ask,
): Pick<Lease, 'granted' | 'spare'> {
  const free = Math.max(0, Math.floor(max / SPARE_PARTS) - Math.max(0, spare - spent))
  const most = Math.max(0, max - granted)
  const next = Math.min(wanted + Math.ceil(free / 2), most)
  return { granted: next, spare: Math.max(0, next - wanted) }
}
