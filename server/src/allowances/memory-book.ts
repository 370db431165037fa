import { type Ask, type Book, type Entry, type Lease, nextLease } from './book.ts'
import { Windows } from './windows.ts'

/** A book in the memory of one process, for all processes of a machine. */
export class MemoryBook implements Book {
  readonly #limits = new Map<string, Windows<Entry & { endsAt: number }>>()

  async lease(asks: readonly Ask[]): Promise<readonly Lease[]> {
    return asks.map(ask => this.#leaseOne(ask))
  }

  #leaseOne(ask: Ask): Lease {
    const { name, key, max, windowMs, spent } = ask
    const now = performance.now()
    const windows = this.#limits.get(name) ?? new Windows<Entry & { endsAt: number }>()
    this.#limits.set(name, windows)
    const window =
      windows.of(key, now) ?? windows.begin(key, { granted: 0, spare: 0, endsAt: now + windowMs }, now)
    const next = nextLease(window, ask)
    window.granted += next.granted
    window.spare = Math.max(0, window.spare - spent) + next.spare
    return { ...next, left: Math.max(0, max - window.granted), endsInMs: window.endsAt - now }
  }
}
