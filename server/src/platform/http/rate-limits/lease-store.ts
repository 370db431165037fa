/** The limit of a key in a window, which begins with the first request and has a fixed length. */
export interface Limit {
  /** Unique in the service. */
  name: string
  max: number
  windowMs: number
}

/** A request of one process for its part of a key's allowance. */
export interface Ask extends Limit {
  key: string
  /** How many clients wait for it. */
  wanted: number
  /** The `spare` of its last lease in this window, used up by now. */
  spent: number
}

/** What a process may allow on its own. */
export interface Lease {
  granted: number
  /** How many of them are in reserve, with no client waiting. */
  spare: number
  /** The rest of the window's allowance, which no process has leased. */
  left: number
  /** Until the window ends, in milliseconds. */
  endsInMs: number
}

/** The counter that processes share. */
export interface LeaseStore {
  /** @returns a lease for each, in the same order @throws if the counter cannot be reached */
  lease(asks: readonly Ask[]): Promise<readonly Lease[]>
}

/** The counter's record of a window. */
export interface Entry {
  granted: number
  /** The spare of all leases that may not be used up. */
  spare: number
}

/**
 * How much of an allowance may be lost: the spare of processes that the client no longer uses. Together, they never
 * hold more than this share in spare, so at least 95% can be used, however many processes there are.
 */
export const SPARE_PARTS = 20

/** Returns the next lease of a window. Each takes half of the free spare, so that another process gets some, too. */
function nextLease({ granted, spare }: Entry, { max, wanted, spent }: Ask): Pick<Lease, 'granted' | 'spare'> {
  const free = Math.max(0, Math.floor(max / SPARE_PARTS) - Math.max(0, spare - spent))
  const most = Math.max(0, max - granted)
  const next = Math.min(wanted + Math.ceil(free / 2), most)
  return { granted: next, spare: Math.max(0, next - wanted) }
}

/** A shared counter in the memory of one process, for all processes of a machine. */
export class MemoryLeaseStore implements LeaseStore {
  readonly #limits = new Map<string, Windows<Entry & { endsAt: number }>>()

  async lease(asks: readonly Ask[]): Promise<readonly Lease[]> {
    return asks.map(ask => this.#leaseOne(ask))
  }

  #leaseOne(ask: Ask): Lease {
    const { name, key, max, windowMs, spent } = ask
    const now = performance.now()
    const windows = this.#limits.get(name) ?? new Windows<Entry & { endsAt: number }>()
    this.#limits.set(name, windows)
    const window = windows.of(key, now) ?? windows.begin(key, { granted: 0, spare: 0, endsAt: now + windowMs }, now)
    const next = nextLease(window, ask)
    window.granted += next.granted
    window.spare = Math.max(0, window.spare - spent) + next.spare
    return { ...next, left: Math.max(0, max - window.granted), endsInMs: window.endsAt - now }
  }
}

/** How many keys to remember. The one whose window began first is dropped first. */
const KEYS_MAX = 100_000

/** The windows of one limit, by key. Times are of the monotonic clock, so that changing the clock opens no window. */
export class Windows<Window extends { endsAt: number }> {
  /** In the order in which windows began, so that the first to end comes first. */
  readonly #windows = new Map<string, Window>()

  /** Returns the window of a key, unless it has ended. */
  of(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key)
    return window && window.endsAt > now ? window : undefined
  }

  begin(key: string, window: Window, now: number): Window {
    this.#windows.delete(key)
    this.#windows.set(key, window)
    for (const [first, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size <= KEYS_MAX) break
      this.#windows.delete(first)
    }
    return window
  }
}
