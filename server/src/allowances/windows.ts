/** How many keys to remember. The one whose window began first is forgotten first. */
const KEYS_MAX = 100_000

/** The windows of one limit, by key. Times are of the monotonic clock, so that setting the time of day opens no window. */
export class Windows<Window extends { endsAt: number }> {
  /** In the order in which windows began, so that the first to end comes first. */
  readonly #windows = new Map<string, Window>()

  /** The window of a key, unless it has ended. */
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
