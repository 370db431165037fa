/** How many websites in a row must be unreachable before the service suspects its own network. */
const UNREACHED_MIN = 5

/**
 * Suspects this service's own network or DNS if it can't connect to one website after the other. While it does, the
 * service's own checks blame no website. All fetchers of a process share it.
 */
export class OwnNetwork {
  /** Registrable domains, since the last connection to any website. No more than are needed. */
  readonly #unreached = new Set<string>()
  readonly #warn: (message: string) => void

  /** @param warn called each time that it begins to suspect the network */
  constructor(warn: (message: string) => void = () => {}) {
    this.#warn = warn
  }

  get isSuspect(): boolean {
    return this.#unreached.size >= UNREACHED_MIN
  }

  noteConnected(): void {
    this.#unreached.clear()
  }

  noteUnreached(domain: string): void {
    if (this.isSuspect) return
    this.#unreached.add(domain)
    if (!this.isSuspect) return
    this.#warn(
      `could not connect to ${UNREACHED_MIN} websites in a row: check this server’s network and DNS; until one is reached, the service’s own checks count no failure`,
    )
  }
}
